# Jobs that fail once, each in another way, for the profile's retries. They know which attempt they are.


rule all:
    input:
        "too_big.txt",
        "too_long.txt",
        "cancelled.txt",


rule too_big:
    output:
        "too_big.txt",
    resources:
        mem_mb=lambda wildcards, attempt: 400 * attempt,
        attempt=lambda wildcards, attempt: attempt,
    shell:
        "echo {resources.attempt} >> too_big.attempts; "
        "python -c 'import time; held = bytearray(500 * 2**20); time.sleep(15)'; "
        "echo {resources.attempt} > {output}"


rule too_long:
    output:
        "too_long.txt",
    resources:
        mem_mb=400,
        runtime=lambda wildcards, attempt: attempt,
        attempt=lambda wildcards, attempt: attempt,
    shell:
        "echo {resources.attempt} >> too_long.attempts; "
        "if [ {resources.attempt} = 1 ]; then sleep 300; fi; "
        "echo {resources.attempt} > {output}"


rule cancelled:
    output:
        "cancelled.txt",
    resources:
        mem_mb=400,
        attempt=lambda wildcards, attempt: attempt,
    shell:
        "echo {resources.attempt} >> cancelled.attempts; "
        "if [ {resources.attempt} = 1 ]; then sleep 300; fi; "
        "echo {resources.attempt} > {output}"


rule hopeless:
    output:
        "hopeless.txt",
    resources:
        mem_mb=400,
        attempt=lambda wildcards, attempt: attempt,
    shell:
        "echo {resources.attempt} >> hopeless.attempts; exit 3"
