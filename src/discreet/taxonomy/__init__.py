"""Taxonomies: the trees along which values are generalized, their cuts, their files and their builders."""

from discreet.taxonomy.cut import Cut, enumerate_cuts
from discreet.taxonomy.dates import Dates
from discreet.taxonomy.even import Even
from discreet.taxonomy.files import read_taxonomy, read_with_notes, write_taxonomy
from discreet.taxonomy.flat import Flat
from discreet.taxonomy.intervals import Intervals
from discreet.taxonomy.placement import LabelledTaxonomy, MadeFrom, Placement, TaxonomyBuilder
from discreet.taxonomy.prefixes import Prefixes
from discreet.taxonomy.public import public_taxonomy
from discreet.taxonomy.published import LABELLINGS, Labelling, PublishedValues
from discreet.taxonomy.ready import READY
from discreet.taxonomy.tree import MISSING, ROOT, Taxonomy

__all__ = [
    "LABELLINGS",
    "MISSING",
    "READY",
    "ROOT",
    "Cut",
    "Dates",
    "Even",
    "Flat",
    "Intervals",
    "LabelledTaxonomy",
    "Labelling",
    "MadeFrom",
    "Placement",
    "Prefixes",
    "PublishedValues",
    "Taxonomy",
    "TaxonomyBuilder",
    "enumerate_cuts",
    "public_taxonomy",
    "read_taxonomy",
    "read_with_notes",
    "write_taxonomy",
]
