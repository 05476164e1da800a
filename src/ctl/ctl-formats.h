/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl formats: what there can be thumbnails of, and by whom. */
#pragma once

/* argv[0] is the name of the subcommand. Returns the exit status. */
int ctl_formats (int argc, char **argv);
