/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The four thumbnail sizes of the standard (thumbnail standard 0.9, directory layout). */
#pragma once

#include <glib.h>

typedef enum
{
  TH_FLAVOR_NORMAL,
  TH_FLAVOR_LARGE,
  TH_FLAVOR_X_LARGE,
  TH_FLAVOR_XX_LARGE,
  TH_N_FLAVORS
} ThFlavor;

/* A set of flavors: bit n stands for flavor n. */
typedef guint32 ThFlavors;
#define TH_FLAVOR_BIT(flavor) (1u << (flavor))

/* "normal", also the name of the folder in the cache. */
const char *th_flavor_name (ThFlavor flavor);
/* Side of the square box in pixels: 128, 256, 512, 1024. */
guint32 th_flavor_box (ThFlavor flavor);
/* FALSE for anything that is not exactly one of the four names. */
gboolean th_flavor_from_name (const char *name, ThFlavor *flavor);
