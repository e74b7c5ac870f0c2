"""What a machine is and has: CPU, disk, builds."""
