"""arista.eos.eos_config where it replaces all, in place of a switch of EOS: the arguments that the module has."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

ARGUMENTS = {
    "src": {"type": "path", "required": True},
    "replace": {"choices": ["line", "block", "config"], "default": "line"},
    "save_when": {"choices": ["always", "never", "modified", "changed"], "default": "never"},
}
module = AnsibleModule(ARGUMENTS, supports_check_mode=True)
assert (module.params["replace"], module.params["save_when"]) == ("config", "modified")
if not module.check_mode:
    Path("/etc/running.cfg").write_text(Path(module.params["src"]).read_text())
module.exit_json(changed=True)
