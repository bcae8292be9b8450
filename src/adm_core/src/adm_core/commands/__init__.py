"""Sub-commands of ``adm``: one light module each with HELP, configure(parser) and run(args)."""
