/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl enable and disable: whether the session's thumbnails are ours to make. */
#pragma once

/* argv[0] is the name of the subcommand. Each returns the exit status. */
int ctl_enable (int argc, char **argv);
int ctl_disable (int argc, char **argv);
