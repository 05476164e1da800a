/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a taken-over decoder would say to its owner: it finds the socket and speaks for itself. */
#pragma once

#include <glib.h>

/* The number of the job that a test runs. */
#define EVIL_JOB 1

/* Plays the lie of that name to its end and does not come back. FALSE where there is none. */
gboolean evil_lie (const char *name);
