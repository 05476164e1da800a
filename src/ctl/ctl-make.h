/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl make and refresh: thumbnails of files and folders. */
#pragma once

/* argv[0] is the name of the subcommand. Returns the exit status. */
int ctl_make (int argc, char **argv);
int ctl_refresh (int argc, char **argv);
