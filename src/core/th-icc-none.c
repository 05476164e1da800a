/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "core/th-icc.h"

struct _ThIcc
{
  guint8 nothing;
};

void
th_icc_warm_up (void)
{
}

ThIcc *
th_icc_new (ThBytes profile, ThColorModel model)
{
  return g_new0 (ThIcc, 1);
}

void
th_icc_free (ThIcc *icc)
{
  g_free (icc);
}

gboolean
th_icc_is_open (const ThIcc *icc)
{
  return FALSE;
}

gboolean
th_icc_lacked_memory (const ThIcc *icc)
{
  return FALSE;
}

gboolean
th_icc_read_shaper (const ThIcc *icc, ThShaper *shaper)
{
  return FALSE;
}

gboolean
th_icc_link (ThIcc *icc, guint bits, gboolean has_alpha, gboolean many)
{
  return FALSE;
}

void
th_icc_row (const ThIcc *icc, const void *in, guint32 width, guint8 *out)
{
}

gsize
th_icc_bytes (const ThIcc *icc)
{
  return 0;
}
