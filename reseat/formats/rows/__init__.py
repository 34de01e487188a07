"""Rows gathered from any form, put together to a layout; several texts combined to one."""
