/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl clean: keeps the cache within its size and age. */
#pragma once

/* argv[0] is the name of the subcommand. Returns the exit status. */
int ctl_clean (int argc, char **argv);
