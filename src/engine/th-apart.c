/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-apart.h"

#include <string.h>

#include "cache/th-uri.h"

/* A name is a key in memory; a host has no longer one. */
#define MAX_NAME 512u
/* No file has this number. */
#define NO_DEVICE G_MAXUINT64

/* Web addresses are nothing that a client may have fetched; the others hold no pictures. */
static const char *const refused[] = { "file",     "http",      "https",   "cdda",
                                       "computer", "localtest", "network", NULL };
/* Backends of GVfs. */
static const char *const clouds[] = { "google-drive", "onedrive", NULL };

static char *
scheme_of (const char *uri)
{
  char *scheme = g_uri_parse_scheme (uri);
  char *lower = scheme != NULL ? g_ascii_strdown (scheme, -1) : NULL;

  g_free (scheme);
  return lower;
}

char *
th_apart_of_uri (const char *uri)
{
  g_autofree char *scheme = scheme_of (uri);
  const char *host;
  gsize length;

  if (scheme == NULL || g_strv_contains (refused, scheme) || !th_uri_is_recordable (uri))
    return NULL;
  host = uri + strlen (scheme);
  if (!g_str_has_prefix (host, "://"))
    return NULL;
  host += strlen ("://");
  length = strcspn (host, "/?#");
  return g_strdup_printf ("%s://%.*s", scheme, (int) MIN (length, MAX_NAME), host);
}

char *
th_apart_of_mount (const ThMount *mount)
{
  if (!mount->apart)
    return NULL;
  return g_strdup_printf ("%" G_GUINT32_FORMAT " %s", mount->id, mount->point);
}

gboolean
th_apart_is_cloud (const char *uri)
{
  g_autofree char *scheme = scheme_of (uri);

  return scheme != NULL && g_strv_contains (clouds, scheme);
}

ThFileKey
th_apart_key (const char *uri)
{
  g_autofree char *md5 = th_uri_md5 (uri);

  md5[2 * sizeof (guint64)] = '\0';
  return (ThFileKey){ .device = NO_DEVICE, .inode = g_ascii_strtoull (md5, NULL, 16) };
}

gboolean
th_apart_is_key (const ThFileKey *key)
{
  return key->device == NO_DEVICE;
}
