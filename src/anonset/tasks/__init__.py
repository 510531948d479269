"""What can be done: one use case a file, a frozen request in, a frozen result out; no printing, no pages, no options."""
