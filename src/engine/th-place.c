/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-place.h"

#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "cache/th-uri.h"

#define PASSWD_BYTES 16384u

static char *
home_of (const char *user)
{
  g_autofree char *buffer = g_malloc (PASSWD_BYTES);
  struct passwd entry;
  struct passwd *found = NULL;

  if (user[0] == '\0')
    return g_strdup (g_get_home_dir ());
  if (getpwnam_r (user, &entry, buffer, PASSWD_BYTES, &found) != 0 || found == NULL)
    return NULL;
  return g_strdup (found->pw_dir);
}

/* text begins with a tilde. */
static char *
expand_home (const char *text)
{
  const char *slash = strchrnul (text, '/');
  g_autofree char *user = g_strndup (text + 1, (gsize) (slash - text - 1));
  g_autofree char *home = home_of (user);

  return home != NULL ? g_strconcat (home, slash, NULL) : NULL;
}

/* The name behind a dollar sign; *at is moved behind it. NULL where there is none. */
static char *
take_name (const char **at)
{
  gboolean braced = **at == '{';
  const char *from = *at + (braced ? 1 : 0);
  const char *to = from;

  while (g_ascii_isalnum (*to) || *to == '_')
    to++;
  if (to == from || (braced && *to != '}'))
    return NULL;
  *at = to + (braced ? 1 : 0);
  return g_strndup (from, (gsize) (to - from));
}

/* NULL where a variable is not set: half a path would be another folder. */
static char *
expand_variables (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *at = text; *at != '\0';)
    {
      g_autofree char *name = NULL;
      const char *value;

      if (*at != '$')
        {
          g_string_append_c (out, *at++);
          continue;
        }
      at++;
      name = take_name (&at);
      value = name != NULL ? g_getenv (name) : NULL;
      if (value == NULL)
        return g_string_free (out, TRUE);
      g_string_append (out, value);
    }
  return g_string_free (out, FALSE);
}

static char *
expand (const char *written)
{
  g_autofree char *expanded = expand_variables (written);

  if (expanded != NULL && expanded[0] == '~')
    return expand_home (expanded);
  return g_steal_pointer (&expanded);
}

static char *
to_path (const char *expanded)
{
  g_autofree char *canonical = NULL;

  if (g_ascii_strncasecmp (expanded, "file:", 5) == 0)
    return th_uri_to_path (expanded, NULL);
  if (expanded[0] != '/')
    return NULL;
  canonical = g_canonicalize_filename (expanded, "/");
  return g_strdup (canonical[1] == '/' ? canonical + 1 : canonical);
}

ThPlace *
th_place_new (const char *written)
{
  g_autofree char *expanded = expand (written);
  g_autofree char *path = expanded != NULL ? to_path (expanded) : NULL;
  char *real;
  ThPlace *place;

  if (path == NULL)
    return NULL;
  place = g_new0 (ThPlace, 1);
  place->written = g_strdup (written);
  real = realpath (path, NULL);
  if (real != NULL && strcmp (real, path) != 0)
    place->real_path = g_strdup (real);
  free (real);
  place->path = g_steal_pointer (&path);
  return place;
}

void
th_place_free (ThPlace *place)
{
  g_free (place->written);
  g_free (place->path);
  g_free (place->real_path);
  g_free (place);
}

static gboolean
holds (const char *folder, const char *path)
{
  gsize length = strlen (folder);

  if (strcmp (folder, "/") == 0)
    return TRUE;
  return strncmp (path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

gboolean
th_place_holds (const ThPlace *place, const char *path)
{
  return holds (place->path, path) || (place->real_path != NULL && holds (place->real_path, path));
}
