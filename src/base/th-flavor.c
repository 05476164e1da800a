/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-flavor.h"

#include <string.h>

static const struct
{
  const char *name;
  guint32 box;
} flavors[TH_N_FLAVORS] = {
  [TH_FLAVOR_NORMAL] = { "normal", 128 },
  [TH_FLAVOR_LARGE] = { "large", 256 },
  [TH_FLAVOR_X_LARGE] = { "x-large", 512 },
  [TH_FLAVOR_XX_LARGE] = { "xx-large", 1024 },
};

const char *
th_flavor_name (ThFlavor flavor)
{
  g_assert ((guint) flavor < TH_N_FLAVORS);
  return flavors[flavor].name;
}

guint32
th_flavor_box (ThFlavor flavor)
{
  g_assert ((guint) flavor < TH_N_FLAVORS);
  return flavors[flavor].box;
}

gboolean
th_flavor_from_name (const char *name, ThFlavor *flavor)
{
  for (guint i = 0; i < TH_N_FLAVORS; i++)
    if (strcmp (name, flavors[i].name) == 0)
      {
        *flavor = (ThFlavor) i;
        return TRUE;
      }
  return FALSE;
}
