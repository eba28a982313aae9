"""What stands where, and of which models: halls, racks, and the models of devices, racks and transceivers."""

from __future__ import annotations

from itertools import chain

from fabricgen.bom.cables import CableParts
from fabricgen.catalog.models import NodeProfile, SwitchProfile
from fabricgen.catalog.rack_models import RackProfile
from fabricgen.cluster import Cluster
from fabricgen.plugins.columns import TableColumns, table_column, to_float_array, to_integer_array, to_text_array
from fabricgen.reports.table import Table


class Halls(TableColumns):
    """Halls, those of a site together."""

    name = table_column(to_text_array, "Its name, which another site may have too.")
    site = table_column(to_text_array, "Name of its site.")
    storey = table_column(to_integer_array, "Its storey, int32; 0 is the ground floor.")


class Racks(TableColumns):
    """Racks, in the order of racks.csv."""

    name = table_column(to_text_array, "Its name.", "rack")
    site = table_column(to_text_array, "Name of its site.")
    hall = table_column(to_text_array, "Name of its hall.")
    place = table_column(to_text_array, "Where it stands, as labels and drawings say it.")
    row = table_column(
        to_integer_array, "Its row in the hall, from 1, int32; those before the first count down from -1."
    )
    column = table_column(to_integer_array, "Its place in the row, counted as rows are, int32.")
    x_m = table_column(to_float_array, "Its centre along rows, in the site's coordinates, m, float64.")
    y_m = table_column(to_float_array, "Its centre across rows, m, float64.")
    kind = table_column(to_text_array, "Id of its profile in the catalogue.")
    units = table_column(to_integer_array, "Rack units inside, int32.")
    weight_kg = table_column(to_float_array, "Weight of what is in it, kg, float64; NaN where unknown.")
    power_w = table_column(to_float_array, "Power of its devices, W, float64; NaN where unknown.")
    feeds = table_column(to_text_array, "Its power feeds, `A+B`, where the floor names any.")


class Models(TableColumns):
    """Models of devices, racks and transceivers: those of the plan, whether or not one is there at a phase."""

    model = table_column(to_text_array, "Id of its profile in the catalogue, or the part number of a transceiver.")
    kind = table_column(to_text_array, "`node`, of extra devices too, `switch`, `rack` or `transceiver`.")
    vendor = table_column(to_text_array, "Who makes it; '' where many do.")
    part_number = table_column(to_text_array, "What is ordered.")
    description = table_column(to_text_array, "What it is, for people.")
    units = table_column(to_integer_array, "Height in rack units, inside of a rack, int32; 0 for a transceiver.")


def make_hall_table(cluster: Cluster) -> Table:
    """Return halls in the order of the rack table's."""
    halls, sites = cluster.plan.racks.halls, cluster.design.layout.sites
    rows = [(hall.name, sites[hall.site], hall.storey) for hall in halls]
    return Table("halls", {name: [row[at] for row in rows] for at, name in enumerate(Halls.names())})


def make_model_table(cluster: Cluster) -> Table:
    """Return models of devices by their first device, of racks, and of transceivers."""
    device_profiles = {cls.profile.id: cls.profile for cls in cluster.plan.devices.classes}
    rack_profiles = {kind.id: kind for kind in cluster.plan.racks.kinds}
    optics = dict.fromkeys(chain(*(column.vocabulary.tolist() for column in CableParts(cluster).list_transceivers())))
    rows = [
        *(_describe_model(profile) for profile in (*device_profiles.values(), *rack_profiles.values())),
        *((part, "transceiver", "", part, "", 0) for part in optics if part),
    ]
    return Table("models", {name: [row[at] for row in rows] for at, name in enumerate(Models.names())})


def _describe_model(profile: NodeProfile | SwitchProfile | RackProfile) -> tuple[str, str, str, str, str, int]:
    # (id, kind, vendor, part number, description, rack units), the columns of models in the view
    if isinstance(profile, SwitchProfile):
        text = f"{profile.vendor} {profile.model}"
        return profile.id, profile.kind, profile.vendor, profile.part_number, text, profile.rack_units
    units = profile.units if isinstance(profile, RackProfile) else profile.rack_units
    return profile.id, profile.kind, profile.vendor, "", profile.name, units
