"""For all tests."""

import signal

# A shell that runs tests in the background has them ignore Ctrl-C, and then none of those about it can be true.
signal.signal(signal.SIGINT, signal.default_int_handler)
