/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ICC profile as a colour library evaluates it, towards sRGB. Its memory is bounded, whatever
 * the profile says; the library opens no file and starts no thread. Built without one, there are no
 * profiles. */
#pragma once

#include "base/th-bytes.h"
#include "core/th-shaper.h"
#include "core/th-sink.h"

typedef struct _ThIcc ThIcc;

/* Does what the library does on first use and a locked-down process must not. */
void th_icc_warm_up (void);

/* profile comes from th_icc_distil and need not outlive the call. NULL where memory is short. */
ThIcc *th_icc_new (ThBytes profile, ThColorModel model);
void th_icc_free (ThIcc *icc);
/* FALSE where it is nothing that the library could read. */
gboolean th_icc_is_open (const ThIcc *icc);
/* Whether there was not enough memory at some time, and not for the bound: what failed or came out
 * worse then is not the profile's fault. */
gboolean th_icc_lacked_memory (const ThIcc *icc);
/* Fills in shaper; FALSE where the profile is not three curves and a matrix. */
gboolean th_icc_read_shaper (const ThIcc *icc, ThShaper *shaper);
/* Makes ready for th_icc_row; FALSE where the profile does not give a way. Frees what only that
 * took. many: takes some 20 ms longer, each pixel a fifth of the time then, and colours between the
 * nodes of a table are rougher. */
gboolean th_icc_link (ThIcc *icc, guint bits, gboolean has_alpha, gboolean many);
/* width pixels of samples of those bits, alpha last and kept, to 8-bit RGB. */
void th_icc_row (const ThIcc *icc, const void *in, guint32 width, guint8 *out);
/* Allocated at the moment. */
gsize th_icc_bytes (const ThIcc *icc);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ThIcc, th_icc_free)
