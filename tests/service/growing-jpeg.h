/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A JPEG to be written slowly, where this build can decode one. */
#pragma once

#include <glib.h>

/* A progressive one. NULL: there is no decoder for it. Caller frees. */
GByteArray *growing_jpeg (void);
