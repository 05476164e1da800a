/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl status: who serves this session, and how it is doing. */
#pragma once

/* argv[0] is the name of the subcommand. Returns the exit status. */
int ctl_status (int argc, char **argv);
