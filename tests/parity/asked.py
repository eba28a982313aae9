"""What a blueprint asks beside the fabric itself; servers do not stand in the order of their addresses."""

from __future__ import annotations

MANAGED = (
    "management.users.ops={password: 'env:FABRICGEN_OPS', ssh_keys: [ssh-ed25519 AAAAC3Nz, ssh-rsa AAAAB3Nz]}",
    "management.users.look={role: operator, ssh_keys: [ssh-ed25519 AAAAC3Nw]}",
    "management.aaa={servers: [10.16.0.20, 10.16.0.21], key: 'env:FABRICGEN_TACACS'}",
    "management.ntp=[ntp.example.net, 10.16.0.30]",
    "management.dns={servers: [10.16.0.43, 10.16.0.41, 10.16.0.42, 10.16.0.40], domain: fabric.example.net}",
    "management.syslog={servers: [10.16.0.51, 10.16.0.50], level: warning}",
    "management.snmp={users: {poller: {auth: 'env:FABRICGEN_AUTH', privacy: 'env:FABRICGEN_PRIVACY'}}, contact: noc}",
    "management.gnmi={}",
    "management.timezone=Europe/Berlin",
    'management.banner={login: "Keep out!\\nrouter bgp 1\\n!\\n  exit", motd: "  {{ hostname }}"}',
)
RADIUS = (
    "management.aaa={protocol: radius, servers: 10.16.0.20, key: 'env:FABRICGEN_RADIUS'}",
    "management.gnmi.port=50051",
)
TUNED = (
    "routing.bfd={interval_ms: 170, multiplier: 5}",
    "routing.max_prefixes=5003",
    "routing.load_balance=dynamic",
    "qos={roce_dscp: 29, cnp_dscp: 43, ecn: {400G: 311-907}, mark_percent: 43, roce_percent: 83, cnp_max_percent: 7}",
    "qos.roce_class=4",
    "qos.cnp_class=5",
    "qos.watchdog={detect_ms: 390, restore_ms: 910, poll_ms: 130, action: forward}",
)
SPREAD = (
    ("routing.load_balance={mode: spray, queue_pairs: true, seeds: auto}",),
    ("routing.load_balance={mode: hash, queue_pairs: true, seeds: {leaf: 7, spine: 4000000000}}", "ip=dual"),
    ("routing.load_balance=cluster",),
)
WEIGHED = (
    ("routing.weights=link-bandwidth",),
    ("routing.weights=link-bandwidth", "ip=dual", "routing.underlay=ebgp-unnumbered"),
    (
        "routing.weights=link-bandwidth",
        *(f"config_of.compute-{name}.maintenance=true" for name in ("leaf-p1-su01-r1-01", "spine-01")),
    ),
)
WEIGHED_VRFS = ("routing.weights=link-bandwidth", "tenants={blue: {nodes: [p1/su-1]}}")
