/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers requests to look at and open files, one after the other. Knows no picture. */
#pragma once

#include <glib.h>

/* Until the other side is gone, or breaks the framing. The exit status. */
int th_reader_serve (int socket);
