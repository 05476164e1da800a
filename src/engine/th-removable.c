/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-removable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#define DEVICES "/sys/dev/block"
/* Encrypted, on a volume, on a RAID, of partitions. */
#define MAX_DEPTH  6u
#define MAX_SLAVES 32u

static const char *const buses[] = { "/usb", "/firewire", "/mmc_host/", "/block/loop" };

static gboolean
says_removable (const char *device)
{
  g_autofree char *path = g_build_filename (device, "removable", NULL);
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && text[0] == '1';
}

static gboolean is_removable (const char *link, guint depth);

/* FALSE also where it lies on nothing else. */
static gboolean
lies_on_removable (const char *device, guint depth)
{
  g_autofree char *path = g_build_filename (device, "slaves", NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  gboolean removable = FALSE;
  const char *name;

  for (guint i = 0; dir && !removable && (name = g_dir_read_name (dir)) != NULL; i++)
    {
      g_autofree char *slave = g_build_filename (path, name, NULL);

      removable = i >= MAX_SLAVES || is_removable (slave, depth + 1);
    }
  return removable;
}

static gboolean
is_removable (const char *link, guint depth)
{
  char *device = depth < MAX_DEPTH ? realpath (link, NULL) : NULL;
  g_autofree char *disk = device ? g_path_get_dirname (device) : NULL;
  gboolean removable;

  if (!device)
    return TRUE;
  /* That of a partition lies in that of its disk. */
  removable = says_removable (device) || says_removable (disk) || lies_on_removable (device, depth);
  for (gsize i = 0; i < G_N_ELEMENTS (buses); i++)
    removable = removable || strstr (device, buses[i]);
  free (device);
  return removable;
}

gboolean
th_removable (const char *folder, dev_t device)
{
  g_autofree char *link =
      g_strdup_printf ("%s/%u:%u", folder ? folder : DEVICES, major (device), minor (device));

  return is_removable (link, 0);
}
