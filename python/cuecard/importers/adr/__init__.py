"""Reads records of decisions, in the forms of Nygard, MADR, log4brains, RFCs and others, in twelve languages."""

from .record import KIND as KIND
from .record import is_adr as is_adr
from .record import is_in_folder_of_records as is_in_folder_of_records
from .record import is_template as is_template
from .record import read_adr as read_adr
from .succession import apply_succession as apply_succession
