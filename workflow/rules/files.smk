# What is wrong with a configuration file is said in one line, before Snakemake reads it.

sys.path.insert(0, str(ROOT / "src"))

from inverse_rational_control.config.loading import ConfigError, load_config

# The files of another workflow, which uses this one as a module, are its own.
if workflow.is_main_process and not workflow.modifier.skip_configfile:
    try:
        load_config(ROOT / "config/config.yaml", *workflow.configfiles)
    except ConfigError as error:
        sys.exit(f"configuration: {error}")
