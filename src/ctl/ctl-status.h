/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The exit statuses of thimblectl, the same for all subcommands. */
#pragma once

enum
{
  CTL_OK = 0,
  CTL_SOME_FAILED = 1,
  CTL_USAGE = 2,
  CTL_INTERRUPTED = 130, /* as a shell reports SIGINT */
};
