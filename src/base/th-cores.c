/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "base/th-cores.h"

#include <sched.h>
#include <string.h>

static guint
affinity_cores (void)
{
  cpu_set_t set;

  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return g_get_num_processors ();
  return (guint) CPU_COUNT (&set);
}

/* At least n_wanted words of a file. */
static gboolean
read_words (const char *root, const char *path, guint n_wanted, char ***words)
{
  g_autofree char *full = g_strconcat (root, path, NULL);
  g_autofree char *text = NULL;

  if (!g_file_get_contents (full, &text, NULL, NULL))
    return FALSE;
  *words = g_strsplit_set (g_strstrip (text), " \n", -1);
  return g_strv_length (*words) >= n_wanted;
}

/* Whole cores of a quota, or G_MAXUINT where there is none ("max", -1, unreadable). */
static guint
quota_cores (const char *quota, const char *period)
{
  gint64 q, p;

  if (!g_ascii_string_to_signed (quota, 10, 1, G_MAXINT64 / 2, &q, NULL)
      || !g_ascii_string_to_signed (period, 10, 1, G_MAXINT32, &p, NULL))
    return G_MAXUINT;
  return (guint) MIN ((q + p - 1) / p, (gint64) G_MAXUINT);
}

static guint
v2_cores (const char *root, const char *group)
{
  g_autofree char *path = g_strconcat (group, "/cpu.max", NULL);
  g_auto (GStrv) words = NULL;

  if (!read_words (root, path, 2, &words))
    return G_MAXUINT;
  return quota_cores (words[0], words[1]);
}

static guint
v1_cores (const char *root, const char *group)
{
  g_autofree char *quota_path = g_strconcat (group, "/cpu.cfs_quota_us", NULL);
  g_autofree char *period_path = g_strconcat (group, "/cpu.cfs_period_us", NULL);
  g_auto (GStrv) quota = NULL;
  g_auto (GStrv) period = NULL;

  if (!read_words (root, quota_path, 1, &quota) || !read_words (root, period_path, 1, &period))
    return G_MAXUINT;
  return quota_cores (quota[0], period[0]);
}

typedef guint (*CoresOf) (const char *root, const char *group);

/* The tightest quota from the group up to its mount: a parent's quota binds its children too. */
static guint
tightest (const char *root, const char *mount, const char *group, CoresOf cores_of)
{
  g_autofree char *path = g_strconcat (mount, g_str_equal (group, "/") ? "" : group, NULL);
  guint cores = G_MAXUINT;

  while (strlen (path) >= strlen (mount))
    {
      const guint here = cores_of (root, path);
      char *slash = strrchr (path, '/');

      cores = MIN (cores, here);
      if (slash == NULL)
        break;
      *slash = '\0';
    }
  return cores;
}

static gboolean
lists_cpu (const char *controllers)
{
  g_auto (GStrv) names = g_strsplit (controllers, ",", -1);

  return g_strv_contains ((const char *const *) names, "cpu");
}

/* One line of /proc/self/cgroup: "ID:CONTROLLERS:PATH"; no controllers means version 2. */
static guint
line_cores (const char *root, const char *line)
{
  g_auto (GStrv) fields = g_strsplit (line, ":", 3);
  g_autofree char *v1_mount = NULL;
  guint cores, others;

  if (g_strv_length (fields) != 3)
    return G_MAXUINT;
  if (fields[1][0] == '\0')
    {
      cores = tightest (root, "/sys/fs/cgroup", fields[2], v2_cores);
      others = tightest (root, "/sys/fs/cgroup/unified", fields[2], v2_cores);
      return MIN (cores, others);
    }
  if (!lists_cpu (fields[1]))
    return G_MAXUINT;
  v1_mount = g_strconcat ("/sys/fs/cgroup/", fields[1], NULL);
  /* cpu,cpuacct is usually mounted under both names; a container may see its group as the root. */
  cores = tightest (root, v1_mount, fields[2], v1_cores);
  others = tightest (root, "/sys/fs/cgroup/cpu", fields[2], v1_cores);
  return MIN (cores, others);
}

guint
th_effective_cores (const char *root)
{
  guint cores = affinity_cores ();
  g_auto (GStrv) lines = NULL;
  g_autofree char *path = g_strconcat (root, "/proc/self/cgroup", NULL);
  g_autofree char *text = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    {
      const guint here = line_cores (root, lines[i]);

      cores = MIN (cores, here);
    }
  return MAX (cores, 1);
}
