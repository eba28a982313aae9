"""The catalogue: profiles and facts of NOSes, each read from its file when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fabricgen.catalog.models import (
    PROFILE_KINDS,
    CableProfile,
    NicProfile,
    NodeProfile,
    ProductList,
    RackProfile,
    SwitchProfile,
    Wrong,
    find_domain_mistake,
    find_model,
    find_nic_mistake,
    find_power_mistake,
    find_tray_mistake,
)
from fabricgen.catalog.naming import NosNaming, make_face_naming
from fabricgen.catalog.profile import Profile
from fabricgen.catalog.scale_up_models import ScaleUpDomainProfile
from fabricgen.kernel.diagnostics import Path as Place
from fabricgen.kernel.diagnostics import Span, did_you_mean, fault
from fabricgen.models.forms import FrozenModel
from fabricgen.models.validation import format_path, validate
from fabricgen.yaml.located import read_located

if TYPE_CHECKING:
    from fabricgen.catalog.constant_models import ConstantsProfile
    from fabricgen.catalog.patch_models import PanelProfile, TrunkProfile
    from fabricgen.catalog.sonic_models import SonicPlatform

BUILT_IN = Path(__file__).resolve().parent
"""The folder of this package: its profiles lie in `data/`, what is known of each NOS in `platforms/`."""

P = TypeVar("P", bound=Profile)
M = TypeVar("M", bound=FrozenModel)


class Catalog:
    """The built-in profiles, and those in the `catalog/` folder beside a blueprint, which win over them."""

    def __init__(self, own: Path | None = None) -> None:
        self._folders = (*((own,) if own and own.is_dir() else ()), BUILT_IN / "data")
        self._platforms = (*((own / "platforms",) if own else ()), BUILT_IN / "platforms")
        self._loaded: dict[tuple[str, str], Any] = {}
        self._checked: set[tuple[str, str]] = set()
        self._own = own

    @cached_property
    def _files(self) -> dict[str, dict[str, Path]]:
        """The file of each profile, by kind and id; a file is named after the id."""
        by_kind = {kind: dict(_list_built_in(kind)) for kind in PROFILE_KINDS}
        for folder in self._folders[:-1]:
            _check_folders(folder)
            for kind, files in by_kind.items():
                files.update(_list_profiles(folder / kind))
        return by_kind

    def ids(self, kind: str) -> tuple[str, ...]:
        """Return the sorted ids of the profiles of a kind (see PROFILE_KINDS)."""
        return tuple(sorted(self._files[kind]))

    def find_file(self, kind: str, name: str) -> Path:
        """Return the file of a profile; raises KeyError if there is none."""
        return self._files[kind][name]

    def switch(self, name: str, path: Place = ()) -> SwitchProfile:
        """Return a switch profile; raises InputError (FG011) at `path` if there is none of that name."""
        return self._load_profile("switches", name, SwitchProfile, path)

    def node(self, name: str, path: Place = ()) -> NodeProfile:
        """Return a node profile; raises InputError: FG011 at `path` if there is none of that name, FG010 if its
        ports do not fit its NICs.
        """
        profile = self._load_profile("nodes", name, NodeProfile, path)
        self._check_against("nodes", name, lambda: find_nic_mistake(profile, self.nic))
        return profile

    def scale_up(self, name: str, path: Place = ()) -> ScaleUpDomainProfile:
        """Return a scale-up domain profile.

        Raises InputError: FG011 at `path` if there is none of that name, FG010 if its switch tray does not fit it.
        """
        domain = self._load_profile("scale_up", name, ScaleUpDomainProfile, path)
        if domain.tray and domain.tray in self._files["switches"]:
            self._check_against("scale_up", name, lambda: find_tray_mistake(domain, self.switch(domain.tray)))
        return domain

    def nic(self, name: str) -> NicProfile | None:
        """Return the profile of a NIC; None if there is none of that name."""
        return self._load_profile("nics", name, NicProfile, ()) if name in self._files["nics"] else None

    def _check_against(self, kind: str, name: str, check: Callable[[], Wrong | None]) -> None:
        """Raise InputError (FG010) at its key if a user's profile does not fit the profiles that it names.

        `check` finds the mistake. Built-in profiles are checked by tests instead.
        """
        file = self._files[kind][name]
        if file.is_relative_to(BUILT_IN) or (kind, name) in self._checked:
            return
        mistake = check()
        if mistake:
            path, message = mistake
            raise fault("FG010", f"{format_path(path)}: {message}", span=read_located(file).span(path))
        self._checked.add((kind, name))

    def rack(self, name: str, path: Place = ()) -> RackProfile:
        """Return a rack profile.

        Raises InputError: FG011 at `path` if there is none of that name, FG010 if its power counts switches that are
        not in the catalogue.
        """
        profile = self._load_profile("racks", name, RackProfile, path)
        self._check_against("racks", name, lambda: find_power_mistake(profile, self.ids("switches")))
        return profile

    @cached_property
    def cables(self) -> tuple[CableProfile, ...]:
        """All cable profiles, cheapest first."""
        loaded = [self._load_profile("cables", name, CableProfile, ()) for name in self.ids("cables")]
        return tuple(sorted(loaded, key=lambda c: (c.cost_rank, c.id)))

    @cached_property
    def gearboxes(self) -> tuple[CableProfile, ...]:
        """The cable profiles whose modules make their light of slower electrical lanes, cheapest first.

        Sizing needs these alone: only files that contain the key are read.
        """
        names = [n for n in self.ids("cables") if b"light_gbps" in self._files["cables"][n].read_bytes()]
        loaded = (self._load_profile("cables", name, CableProfile, ()) for name in names)
        return tuple(sorted((c for c in loaded if c.light_gbps is not None), key=lambda c: (c.cost_rank, c.id)))

    def products(self, name: str, path: Place = ()) -> ProductList:
        """Return a product list.

        Raises InputError: FG011 at `path` if there is none of that name, FG072 in the list if it names a medium that is
        not in the catalogue.
        """
        product_list = self._load_profile("products", name, ProductList, path)
        cable_ids = set(self.ids("cables"))
        for number, product in enumerate(product_list.products):
            for index, medium in enumerate(product.media):
                if medium not in cable_ids:
                    raise fault(
                        "FG072",
                        f"product list {name}: '{medium}' of {product.part} is no cable profile",
                        span=read_located(self._files["products"][name]).span(("products", number, "media", index)),
                        hint=did_you_mean(medium, cable_ids),
                    )
        return product_list

    def constants(self, name: str = "usual", path: Place = ()) -> ConstantsProfile:
        """Return the constants of an analysis.

        Raises InputError: FG011 at `path` if there are none of that name, FG010 if they name a scale-up domain that is
        not in the catalogue.
        """
        from fabricgen.catalog.constant_models import ConstantsProfile  # a tenth of all models: see `find_model`

        profile = self._load_profile("constants", name, ConstantsProfile, path)
        self._check_against("constants", name, lambda: find_domain_mistake(profile, self.ids("scale_up")))
        return profile

    def panel(self, name: str, path: Place = ()) -> PanelProfile:
        """Return the profile of a patch panel; raises InputError (FG011) at `path` if there is none of that name."""
        from fabricgen.catalog.patch_models import PanelProfile

        return self._load_profile("panels", name, PanelProfile, path)

    @cached_property
    def trunks(self) -> tuple[TrunkProfile, ...]:
        """All trunk families, by id."""
        from fabricgen.catalog.patch_models import TrunkProfile

        return tuple(self._load_profile("trunks", name, TrunkProfile, ()) for name in self.ids("trunks"))

    def check_profile(self, kind: str, name: str) -> Profile:
        """Return any profile by kind and id, checked against those that it names; raises InputError as the method of
        its kind does.
        """
        readers: dict[str, Callable[[str], Profile]] = {
            "nodes": self.node,
            "scale_up": self.scale_up,
            "racks": self.rack,
            "products": self.products,
            "constants": self.constants,
        }
        return readers[kind](name) if kind in readers else self.profile(kind, name)

    def profile(self, kind: str, name: str) -> Profile:
        """Return any profile by kind and id, not checked against others; raises InputError (FG011) if there is none."""
        return self._load_profile(kind, name, find_model(kind), ())

    def naming(self, nos: str) -> NosNaming:
        """Return the facts of a NOS: how it names ports, and what it can configure.

        A NOS without data names ports as on the face of the switch, and can configure nothing.
        """
        key = ("platforms", nos)
        if key not in self._loaded:
            file = next((f for folder in self._platforms if (f := folder / f"{nos}.yaml").is_file()), None)
            self._loaded[key] = _read_file(NosNaming, file) if file else make_face_naming(nos)
        naming: NosNaming = self._loaded[key]
        return naming

    def find_naming(self, nos: str, path: Place, switch: SwitchProfile | None = None) -> NosNaming:
        """Return the facts of a NOS; raises InputError (FG018) at `path` if the catalogue has none.

        `switch` is what is to run it: the hint then names NOSes that it runs as well.
        """
        if nos not in self.list_known_nos():
            raise fault(
                "FG018",
                f"port names of NOS '{nos}' are not in the catalogue",
                path=path,
                hint=self._suggest_nos(nos, switch),
            )
        return self.naming(nos)

    def find_usual_nos(self, switch: SwitchProfile) -> str:
        """Return the NOS that is taken for a switch if the blueprint states none.

        Of those that the switch runs, it is the first whose configuration can be written, else the first that the
        catalogue has data of, else the first.
        """
        listed = [nos for nos in switch.nos if nos in self.list_known_nos()]
        written = [nos for nos in self.list_usable_nos(switch) if self.naming(nos).configuration.claims]
        return (*written, *listed, *switch.nos)[0]

    def _suggest_nos(self, nos: str, switch: SwitchProfile | None) -> str:
        """Return the hint for a NOS without data: to take one that has some, or to add a file."""
        own_file = f"add catalog/platforms/{nos}.yaml beside the blueprint, which says how it names ports"
        if switch is None:
            return f"{did_you_mean(nos, self.list_known_nos())}; or {own_file}"
        usable = self.list_usable_nos(switch)
        if usable:
            return f"{switch.id} also runs {' and '.join(usable)}: state `nos: {usable[0]}`, or {own_file}"
        tabled = [name for name in switch.nos if name in self.list_known_nos() and not switch.line_cards]
        table = f"state `nos: {tabled[0]}` and add catalog/platforms/sonic/{switch.id}.yaml, or " if tabled else ""
        return table + own_file

    def list_usable_nos(self, switch: SwitchProfile) -> tuple[str, ...]:
        """Return, in the order of its profile, the NOSes of a switch whose data say how the switch's ports are called.

        Left out are NOSes without data, those that need a port table if the switch has none, and on a chassis those
        that have no names for line cards.
        """
        namings = [self.naming(nos) for nos in switch.nos if nos in self.list_known_nos()]
        tabled = self._find_port_table_file(switch.id) is not None
        return tuple(
            naming.nos
            for naming in namings
            if (tabled or naming.numbers != "platform-table") and (naming.card_cage or not switch.line_cards)
        )

    def names_ports(self, switch: SwitchProfile, nos: str) -> bool:
        """Whether a switch runs a NOS, and has a port table if the NOS takes port names from one."""
        tabled = nos in self.list_known_nos() and self.naming(nos).has_tables
        return nos in switch.nos and (not tabled or self.sonic_platform(switch.id) is not None)

    def list_known_nos(self) -> tuple[str, ...]:
        """Return the sorted NOSes that the catalogue has data of."""
        return tuple(sorted({file.stem for folder in self._platforms for file in folder.glob("*.yaml")}))

    def sonic_platform(self, switch: str) -> SonicPlatform | None:
        """Return the SONiC port table of a switch; None if there is none."""
        key = ("platforms/sonic", switch)
        if key not in self._loaded:
            file = self._find_port_table_file(switch)
            self._loaded[key] = self._read_port_table(switch, file) if file else None
        platform: SonicPlatform | None = self._loaded[key]
        return platform

    def _find_port_table_file(self, switch: str) -> Path | None:
        """Return the port table of a switch, a file named after it in the folder of a NOS; None if there is none."""
        # the user's catalogue comes before the built-in one
        return next((f for folder in self._platforms for f in sorted(folder.glob(f"*/{switch}.yaml"))), None)

    def _read_port_table(self, switch: str, file: Path) -> SonicPlatform:
        """Read the port table of a switch; raises InputError (FG026) if it is of another switch, or has more or fewer
        cages than the switch's face.
        """
        from fabricgen.catalog.sonic_models import SonicPlatform

        platform = _read_file(SonicPlatform, file)
        cages = self.switch(switch).cage_count
        if platform.switch != switch or len(platform.cages) != cages:
            key = "cages" if platform.switch == switch else "switch"
            raise fault(
                "FG026",
                f"{file.name} has {len(platform.cages)} cages of {platform.switch}; the face of {switch} has {cages}",
                span=read_located(file).key_span((key,)),
                hint="list every cage in the order of the face, those that SONiC leaves alone too",
            )
        return platform

    def find_platform_by_name(self, platform: str) -> SonicPlatform | None:
        """Return the port table of a platform by its name in SONiC, such as x86_64-nvidia_sn5600-r0; None if there
        is none.
        """
        switches = {file.stem for folder in self._platforms for file in folder.glob("*/*.yaml")}
        tables = (self.sonic_platform(switch) for switch in sorted(switches))
        return next((table for table in tables if table and table.platform == platform), None)

    def _load_profile(self, kind: str, name: str, model: type[P], path: Place) -> P:
        """Return a profile, read once.

        Raises InputError: FG011 at `path` if there is none of that name, FG010 if the file states another id.
        """
        key = (kind, name)
        if key not in self._loaded:
            file = self._files[kind].get(name)
            if file is None:
                kind_word = kind.removesuffix("es") if kind == "switches" else kind.removesuffix("s").replace("_", "-")
                other_kind = next((k.replace("_", "-") for k, files in self._files.items() if name in files), "")
                raise fault(
                    "FG011",
                    f"no {kind_word} profile '{name}' in the catalogue",
                    path=path,
                    hint=f"{name} is among the {other_kind}" if other_kind else did_you_mean(name, self.ids(kind)),
                )
            profile = _read_file(model, file)
            if profile.id != name:
                raise fault(
                    "FG010",
                    f"{file.name} has id '{profile.id}'; the id must be the file's name, '{name}'",
                    span=Span(str(file), 1, 1),
                )
            self._loaded[key] = profile
        loaded: P = self._loaded[key]
        return loaded


def _check_folders(catalog: Path) -> None:
    """Raise InputError (FG010) for a YAML file of a user's catalogue that would not be read: its folder or ending is
    wrong.

    Other files, such as a README, and hidden folders are ignored.
    """
    for file in sorted((*catalog.glob("*.y*ml"), *catalog.glob("*/*.y*ml"), *catalog.glob("*/*/*.y*ml"))):
        folders = file.relative_to(catalog).parent.parts
        folder = folders[0] if folders else ""
        if file.suffix not in (".yaml", ".yml") or folder.startswith("."):
            continue
        problem = hint = ""
        if folder not in (*PROFILE_KINDS, "platforms"):
            problem = (
                f"there are no profiles in catalog/{folder}" if folder else "profiles lie in folders of their kind"
            )
            hint = did_you_mean(folder, (*PROFILE_KINDS, "platforms"))
        elif len(folders) > 1 and folder != "platforms":
            problem = f"profiles lie in catalog/{folder}, and not in folders below"
        elif file.suffix == ".yml":
            problem, hint = "profiles end in .yaml", f"name it {file.stem}.yaml"
        if problem:
            raise fault("FG010", f"{file.name} is not read: {problem}", span=Span(str(file), 1, 1), hint=hint)


def _list_profiles(folder: Path) -> dict[str, Path]:
    """Return the files of the profiles in a folder, by id."""
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


@cache
def _list_built_in(kind: str) -> dict[str, Path]:
    """Return the files of the built-in profiles of a kind, by id.

    Cached, since `size` makes a catalogue for each of a thousand designs.
    """
    return _list_profiles(BUILT_IN / "data" / kind)


def _read_file(model: type[M], file: Path) -> M:
    """Read a file of the catalogue as a model; a built-in one is kept for the whole process."""
    if not file.is_relative_to(BUILT_IN):
        return validate(model, read_located(file))
    kind: Any = model
    parsed: M = _read_once(kind, file)
    return parsed


@cache
def _read_once(model: Any, file: Path) -> Any:
    """Read a built-in file, which cannot change while we run; a user's file may, between two blueprints."""
    from fabricgen.yaml.plain import read_plain

    try:
        return model.model_validate(read_plain(file))
    except ValueError:  # a mistake of ours is told with its place
        return validate(model, read_located(file))
