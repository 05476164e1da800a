/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-limits.h"

#include <unistd.h>

#define MIB (1024u * 1024u)

static guint64
physical_memory (void)
{
  long pages = sysconf (_SC_PHYS_PAGES);
  long page = sysconf (_SC_PAGESIZE);

  return pages > 0 && page > 0 ? (guint64) pages * (guint64) page : 1024u * (guint64) MIB;
}

void
th_limits_init (ThLimits *limits)
{
  const guint64 share = physical_memory () / 8;

  *limits = (ThLimits){
    .max_pixels = 300u * 1000u * 1000u,
    .max_plan_bytes = 512u * (guint64) MIB,
    .budget_bytes = MIN (share, 1024u * (guint64) MIB),
    .cpu_ms = 10000,
    .wall_ms = 20000,
    .embedded_previews = TRUE,
  };
}

ThStatus
th_limits_check_size (const ThLimits *limits, guint64 width, guint64 height, GError **error)
{
  if (width == 0 || height == 0)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_INVALID_FORMAT, "a side of the picture is 0 pixels");
      return TH_STATUS_CORRUPT;
    }
  if (width > limits->max_pixels / height)
    {
      g_set_error (error, TH_ERROR, TH_ERROR_OTHER,
                   "%" G_GUINT64_FORMAT " × %" G_GUINT64_FORMAT
                   " pixels are more than the limit of %" G_GUINT64_FORMAT " megapixels",
                   width, height, limits->max_pixels / 1000000u);
      return TH_STATUS_TOO_LARGE;
    }
  return TH_STATUS_OK;
}
