"""The type of loggers that carry ids."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Adapter = logging.LoggerAdapter[logging.Logger]
else:
    # Python 3.10 has no generic one.
    Adapter = logging.LoggerAdapter
