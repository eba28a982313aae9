"""Management, QoS and the user's hand on SONiC: what the blueprint asks for is in the tables and fits our model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabricgen.blueprint.load import load_blueprint
from fabricgen.catalog.loader import Catalog
from fabricgen.cluster import Cluster, build_cluster
from fabricgen.design.build import build_design
from fabricgen.kernel.diagnostics import InputError
from fabricgen.lint.engine import lint
from fabricgen.render.checks.config_db import check_config_db
from fabricgen.render.engine import make_render_options, render_configs
from fabricgen.render.secrets import SecretStore

LEAF = "compute-leaf-p1-su01-r1-01"
LEAF_SPINE = Path(__file__).resolve().parents[2] / "blueprints" / "leaf-spine.yaml"
MANAGED = r"""
management:
  aaa: {protocol: PROTOCOL, servers: [10.16.9.1, 10.16.9.2], key: "env:FABRICGEN_KEY"}
  ntp: [10.16.9.3, ntp.example.net]
  dns: {servers: [10.16.9.4, 10.16.9.5, 10.16.9.6, 10.16.9.7], domain: fabric.example.net}
  syslog: {servers: 10.16.9.8, level: warning}
  snmp: {users: {monitor: {auth: "env:FABRICGEN_AUTH", privacy: "env:FABRICGEN_PRIVACY"}}, contact: "noc \"A\""}
  gnmi: {port: 50051}
  tls: {certificate: server.cer, key: server.key}
  banner: {login: "stop\nhere \\ \"now\"", motd: "{{ motd }}"}
  timezone: Europe/Zurich
"""
SECRETS = {"KEY": "tacacs-key-1", "AUTH": "auth-phrase-1", "PRIVACY": "privacy-phrase-1"}


def cluster_with(tmp_path: Path, extra: str, *sets: str) -> Cluster:
    file = tmp_path / "blueprint.yaml"
    file.write_text(LEAF_SPINE.read_text().partition("management:")[0] + extra)
    return build_cluster(build_design(load_blueprint(str(file), sets)))


def tables_of(cluster: Cluster, device: str = LEAF, resolver: Any = None) -> dict[str, Any]:
    options = make_render_options(cluster, resolver=resolver) if resolver else None
    files = dict(render_configs(cluster, options=options))
    tables: dict[str, Any] = json.loads(files[f"configs/{device}/config_db.json"])
    assert check_config_db(tables, Catalog()) == ()
    return tables


@pytest.fixture
def resolver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SecretStore:
    for name, value in SECRETS.items():
        monkeypatch.setenv(f"FABRICGEN_{name}", value)
    return SecretStore(tmp_path)


def test_management_is_in_the_tables(tmp_path: Path, resolver: SecretStore) -> None:
    tables = tables_of(cluster_with(tmp_path, MANAGED.replace("PROTOCOL", "tacacs")), resolver=resolver)
    assert tables["AAA"] == {"authentication": {"failthrough": "False", "login": "tacacs+,local"}}
    assert tables["TACPLUS"] == {"global": {"passkey": "tacacs-key-1"}}
    assert tables["TACPLUS_SERVER"] == {"10.16.9.1": {"priority": "2"}, "10.16.9.2": {"priority": "1"}}
    assert set(tables["NTP_SERVER"]) == {"10.16.9.3", "ntp.example.net"}
    assert set(tables["DNS_NAMESERVER"]) == {"10.16.9.4", "10.16.9.5", "10.16.9.6"}
    assert tables["DNS_OPTIONS"] == {"GLOBAL": {"search": ["fabric.example.net"]}}
    assert tables["SYSLOG_SERVER"] == {"10.16.9.8": {"severity": "warn"}}
    assert tables["SNMP"]["CONTACT"] == {"Contact": 'noc "A"'}
    assert tables["SNMP_USER"]["monitor"] == {
        "SNMP_USER_AUTH_PASSWORD": "auth-phrase-1",
        "SNMP_USER_AUTH_TYPE": "SHA",
        "SNMP_USER_ENCRYPTION_PASSWORD": "privacy-phrase-1",
        "SNMP_USER_ENCRYPTION_TYPE": "AES",
        "SNMP_USER_PERMISSION": "RO",
        "SNMP_USER_TYPE": "Priv",
    }
    assert tables["GNMI"] == {
        "certs": {
            "server_crt": "/etc/sonic/telemetry/server.cer",
            "server_key": "/etc/sonic/telemetry/server.key",
        },
        "gnmi": {"port": "50051"},
    }
    assert tables["FEATURE"]["gnmi"] == {"state": "enabled"}
    assert tables["BANNER_MESSAGE"]["global"]["login"] == 'stop\nhere \\\\ "now"'
    assert tables["BANNER_MESSAGE"]["global"]["motd"] == "{{ motd }}"
    assert tables["DEVICE_METADATA"]["localhost"]["timezone"] == "Europe/Zurich"


def test_gnmi_always_has_a_port(tmp_path: Path) -> None:
    """The container's start script refuses a row without one, so that gNMI would not come up at all."""
    tables = tables_of(cluster_with(tmp_path, "\nmanagement: {gnmi: {}}\n"))
    assert tables["GNMI"] == {"gnmi": {"port": "8080"}}
    without = {**tables, "GNMI": {"gnmi": {}}}
    assert [problem.table for problem in check_config_db(without, Catalog())] == ["GNMI"]


def test_names_that_sonic_refuses_are_not_written(tmp_path: Path) -> None:
    """One row that SONiC's models refuse may cost all others; FG703 says which."""
    secrets = "{auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}"
    users = f"management: {{snmp: {{users: {{x: {secrets}, nms: {secrets}, poll: {secrets}}}}},"
    tables = tables_of(cluster_with(tmp_path, f"{users} tls: {{certificate: a.pem, key: a.key}}, gnmi: {{}}}}\n"))
    assert list(tables["SNMP_USER"]) == ["poll"]
    assert list(tables["GNMI"]) == ["gnmi"]


@pytest.mark.parametrize("phrase", ["user@host:1", "a:b-c-d-e", "short", "x" * 65, "blank in it"])
def test_phrases_that_snmp_of_sonic_refuses_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phrase: str
) -> None:
    """sonic-snmp.yang: neither @ nor : in a passphrase, which a TACACS+ key may have."""
    monkeypatch.setenv("FABRICGEN_AUTH", "user@host:1")
    key = 'management: {aaa: {servers: 10.16.9.1, key: "env:FABRICGEN_AUTH"}}\n'
    tables = tables_of(cluster_with(tmp_path, key), resolver=SecretStore(tmp_path))
    assert tables["TACPLUS"]["global"]["passkey"] == "user@host:1"
    monkeypatch.setenv("FABRICGEN_AUTH", phrase)
    user = 'management: {snmp: {users: {poll: {auth: "env:FABRICGEN_AUTH", privacy: "env:FABRICGEN_AUTH"}}}}\n'
    with pytest.raises(InputError, match="FG051") as refused:
        tables_of(cluster_with(tmp_path, user), resolver=SecretStore(tmp_path))
    assert phrase not in str(refused.value)


def test_radius_has_tables_of_its_own(tmp_path: Path, resolver: SecretStore) -> None:
    tables = tables_of(cluster_with(tmp_path, MANAGED.replace("PROTOCOL", "radius")), resolver=resolver)
    assert tables["AAA"]["authentication"]["login"] == "radius,local"
    assert tables["RADIUS"] == {"global": {"passkey": "tacacs-key-1"}}
    assert not {"TACPLUS", "TACPLUS_SERVER"} & set(tables)


def test_accounts_that_sonic_cannot_hold_are_a_finding(tmp_path: Path) -> None:
    users = '\nmanagement: {users: {noc: {ssh_keys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ"]}}}\n'
    found = [d.message for d in lint(cluster_with(tmp_path, users).design).findings if d.code == "FG703"]
    assert len(found) == 2
    assert all("sonic" in message for message in found)


def test_qos_follows_the_blueprint(tmp_path: Path) -> None:
    sets = (
        "qos.roce_dscp=29",
        "qos.cnp_dscp=43",
        "qos.roce_class=4",
        "qos.cnp_class=5",
        "qos.roce_percent=83",
        "qos.cnp_max_percent=7",
        "qos.mark_percent=43",
        "qos.ecn={400G: 311-907}",
        "qos.watchdog={detect_ms: 341, restore_ms: 772, poll_ms: 130, action: forward}",
    )
    tables = tables_of(cluster_with(tmp_path, "", *sets))
    classes = {dscp: n for dscp, n in tables["DSCP_TO_TC_MAP"]["ROCE"].items() if n != "0"}
    assert (len(tables["DSCP_TO_TC_MAP"]["ROCE"]), classes) == (64, {"29": "4", "43": "5"})
    same = {str(n): str(n) for n in range(8)}
    assert tables["TC_TO_QUEUE_MAP"]["ROCE"] == tables["MAP_PFC_PRIORITY_TO_QUEUE"]["ROCE"] == same
    assert tables["TC_TO_PRIORITY_GROUP_MAP"]["ROCE"] == {**dict.fromkeys(same, "0"), "4": "4", "7": "7"}
    assert tables["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"]["ROCE"] == {"4": "4"}
    assert tables["PORT_QOS_MAP"]["Ethernet224"]["pfc_enable"] == "4"
    assert tables["PORT_QOS_MAP"]["Ethernet224"]["pfcwd_sw_enable"] == "4"
    assert tables["SCHEDULER"]["scheduler.0"] == {"type": "DWRR", "weight": "17"}
    assert tables["SCHEDULER"]["scheduler.1"] == {"type": "DWRR", "weight": "83"}
    assert tables["SCHEDULER"]["scheduler.cnp_400G"] == {
        "cir": "3500000000",
        "meter_type": "bytes",
        "pir": "3500000000",
        "type": "STRICT",
    }
    assert tables["QUEUE"]["Ethernet224|0"] == {"scheduler": "scheduler.0"}
    assert tables["QUEUE"]["Ethernet224|4"] == {"scheduler": "scheduler.1", "wred_profile": "ROCE_400G"}
    assert tables["QUEUE"]["Ethernet224|5"] == {"scheduler": "scheduler.cnp_400G"}
    profile = tables["WRED_PROFILE"]["ROCE_400G"]
    for colour in ("green", "yellow", "red"):
        assert (profile[f"{colour}_min_threshold"], profile[f"{colour}_max_threshold"]) == ("311000", "907000")
        assert profile[f"{colour}_drop_probability"] == "43"
    assert tables["PFC_WD"]["Ethernet0"] == {"action": "forward", "detection_time": "341", "restoration_time": "772"}
    assert tables["PFC_WD"]["GLOBAL"] == {"POLL_INTERVAL": "130"}
    assert tables["BUFFER_PG"]["Ethernet224|4"] == {"profile": "pg_lossless_400000_40m_profile"}
    assert {key for key in tables["BUFFER_QUEUE"] if key.startswith("Ethernet224|")} == {
        "Ethernet224|0-3",
        "Ethernet224|4",
        "Ethernet224|5-6",
    }


def test_ports_take_what_is_their_own(tmp_path: Path) -> None:
    settings = "{description: 'to be \"moved\"', mtu: 9100, shutdown: true, fec: none}"
    own = f"\nconfig_of: {{{LEAF}: {{ports: {{Ethernet224: {settings}}}}}}}\n"
    port = tables_of(cluster_with(tmp_path, own))["PORT"]["Ethernet224"]
    found = [port[field] for field in ("description", "mtu", "admin_status", "fec")]
    assert found == ['to be "moved"', "9100", "down", "none"]


def snippet(tree: str) -> str:
    return f"\nsnippets: {{polling: {{nos: sonic, tree: {tree}}}}}\n"


def test_a_snippet_is_merged_into_the_tables(tmp_path: Path) -> None:
    tree = "{KDUMP: {config: {num_dumps: 3, enabled: true}}, PORT: {Ethernet16: {description: lab}}}"
    tables = tables_of(cluster_with(tmp_path, snippet(tree)))
    assert tables["KDUMP"] == {"config": {"num_dumps": "3", "enabled": "true"}}
    assert tables["PORT"]["Ethernet16"]["description"] == "lab"
    assert tables["PORT"]["Ethernet16"]["lanes"] == "16,17,18,19,20,21,22,23"


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        ("{PORT: {Ethernet16: {lanes: '900'}}}", "PORT|Ethernet16|lanes: lane 900 is not in the platform's table"),
        ("{PORTS: {Ethernet16: {mtu: 9100}}}", "PORTS: SONiC has no such table"),
        ("{PORT: {Ethernet16: down}}", "'polling'"),
        ("{CRM: 60}", "CRM: a string"),
        ("{QUEUE: {'Ethernet0|3': {scheduler: mine}}}", "QUEUE|Ethernet0|3|scheduler: 'mine' has no row in SCHEDULER"),
    ],
)
def test_a_snippet_that_breaks_the_tables_is_refused(tmp_path: Path, tree: str, said: str) -> None:
    with pytest.raises(InputError, match="FG052") as caught:
        list(render_configs(cluster_with(tmp_path, snippet(tree))))
    assert said in str(caught.value)


def test_of_several_snippets_the_one_at_fault_is_named(tmp_path: Path) -> None:
    trees = ("{CRM: {Config: {polling_interval: '60'}}}", "{PORT: {Ethernet16: {lanes: '900'}}}", "{CRM: {Config: {}}}")
    text = "\nsnippets:\n" + "".join(f"  s{i}: {{nos: sonic, tree: {tree}}}\n" for i, tree in enumerate(trees))
    with pytest.raises(InputError) as caught:
        list(render_configs(cluster_with(tmp_path, text)))
    (found,) = caught.value.diagnostics
    assert found.path == ("snippets", "s1")
    assert found.message.startswith("snippet 's1': PORT|Ethernet16|lanes")


def test_text_snippets_stand_in_their_places(tmp_path: Path) -> None:
    text = (
        "\nsnippets:\n  a: {nos: sonic, at: frr, text: 'ip nht resolve-via-default'}\n"
        "  b: {nos: sonic, at: bgp, text: ' bgp bestpath compare-routerid'}\n"
    )
    cluster = cluster_with(tmp_path, text, "routing.underlay=ebgp-unnumbered")
    frr = dict(render_configs(cluster))[f"configs/{LEAF}/frr.conf"].decode()
    assert frr.endswith(" exit-address-family\n bgp bestpath compare-routerid\nexit\n!\nip nht resolve-via-default\n")
