/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* thimblectl sheet: thumbnails of a folder on one picture. */
#pragma once

/* argv[0] is the name of the subcommand. Returns the exit status. */
int ctl_sheet (int argc, char **argv);
