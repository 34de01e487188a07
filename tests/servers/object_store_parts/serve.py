"""Moto's server, which keeps what it would find out anew for each request: a third of what the server does."""

import logging
from functools import cache

from moto import backends
from moto.core.serialize import TimestampSerializer
from moto.server import main

services = frozenset(backends.list_of_moto_modules())
backends.list_of_moto_modules = lambda: services  # else a look at 190 folders for each request
TimestampSerializer._convert_timestamp_to_str = cache(TimestampSerializer._convert_timestamp_to_str)
logging.getLogger("werkzeug").setLevel(logging.WARNING)
main()
