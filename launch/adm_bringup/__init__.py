"""Launch actions made from the descriptions that `adm up` starts, too."""
