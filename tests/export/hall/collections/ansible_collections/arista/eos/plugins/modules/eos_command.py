"""What arista.eos.eos_command answers to `show running-config`, in place of a switch of EOS."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

module = AnsibleModule({"commands": {"type": "list", "elements": "raw", "required": True}}, supports_check_mode=True)
assert module.params["commands"] == ["show running-config"]
text = Path("/etc/running.cfg").read_text()
module.exit_json(changed=False, stdout=[text], stdout_lines=[text.splitlines()])
