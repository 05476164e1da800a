/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "cache/th-uri.h"

#include <string.h>

#include "base/th-error.h"

/* Length of the scheme (RFC 3986, 3.1) before a colon, or 0. */
static gsize
scheme_length (const char *text)
{
  gsize length = 0;

  if (!g_ascii_isalpha (text[0]))
    return 0;
  while (g_ascii_isalnum (text[length]) || (text[length] != '\0' && strchr ("+-.", text[length])))
    length++;
  return text[length] == ':' ? length : 0;
}

static gboolean
has_file_scheme (const char *text)
{
  return g_ascii_strncasecmp (text, "file:", 5) == 0;
}

/* GLib keeps two leading slashes, which POSIX allows to mean something else. Here they do not. */
static char *
canonical (const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);

  return g_strdup (absolute[0] == '/' && absolute[1] == '/' ? absolute + 1 : absolute);
}

char *
th_uri_from_path (const char *path)
{
  g_autofree char *absolute = NULL;

  if (path[0] == '\0')
    return g_strdup ("");
  absolute = canonical (path);
  return g_filename_to_uri (absolute, NULL, NULL);
}

gboolean
th_uri_is_recordable (const char *uri)
{
  gsize length = 0;

  for (; uri[length] != '\0'; length++)
    {
      if (length == TH_URI_MAX || g_ascii_iscntrl (uri[length]))
        return FALSE;
    }
  return length > 0;
}

static gboolean
refuse (GError **error, ThError code, const char *uri, const char *why)
{
  g_autofree char *shown = g_strndup (uri, 256);
  g_autofree char *escaped = g_strescape (shown, NULL);

  g_set_error (error, TH_ERROR, (int) code, "“%s”: %s", escaped, why);
  return FALSE;
}

/* The part behind the authority, or NULL. */
static const char *
find_path (const char *uri, GError **error)
{
  const char *rest = uri + strlen ("file:");

  if (strncmp (rest, "//", 2) == 0)
    {
      rest += 2;
      if (g_ascii_strncasecmp (rest, "localhost/", 10) == 0)
        rest += strlen ("localhost");
      if (rest[0] != '/')
        {
          refuse (error, TH_ERROR_UNSUPPORTED, uri, "only files of this host are supported");
          return NULL;
        }
    }
  if (rest[0] == '/')
    return rest;
  refuse (error, TH_ERROR_OTHER, uri, "the path is not absolute");
  return NULL;
}

static gboolean
check_form (const char *uri, GError **error)
{
  if (strnlen (uri, TH_URI_MAX + 1) > TH_URI_MAX)
    return refuse (error, TH_ERROR_OTHER, uri, "the URI is too long");
  if (!th_uri_is_recordable (uri) || scheme_length (uri) == 0)
    return refuse (error, TH_ERROR_OTHER, uri, "not a URI");
  if (!has_file_scheme (uri))
    return refuse (error, TH_ERROR_UNSUPPORTED, uri, "only local files are supported");
  if (strpbrk (uri, "?#"))
    return refuse (error, TH_ERROR_OTHER, uri,
                   "a file has no query or fragment; in a name they are %3F and %23");
  return TRUE;
}

/* One byte at *from, which is moved behind it; 0 for a bad escape and for what no name can hold. */
static char
unescape_byte (const char **from)
{
  const char *at = *from;
  int high, low, byte;

  if (*at != '%')
    {
      *from = at + 1;
      return *at;
    }
  high = g_ascii_xdigit_value (at[1]);
  low = high < 0 ? -1 : g_ascii_xdigit_value (at[2]);
  if (low < 0)
    return '\0';
  *from = at + 3;
  byte = high * 16 + low;
  return byte == '/' ? '\0' : (char) byte;
}

char *
th_uri_to_path (const char *uri, GError **error)
{
  g_autofree char *path = NULL;
  const char *from;
  char *to;

  if (!check_form (uri, error))
    return NULL;
  from = find_path (uri, error);
  if (!from)
    return NULL;
  path = to = g_malloc (strlen (from) + 1);
  while (*from != '\0')
    {
      *to = unescape_byte (&from);
      if (*to++ != '\0')
        continue;
      refuse (error, TH_ERROR_OTHER, uri, "a bad escape, or an escaped NUL or slash");
      return NULL;
    }
  *to = '\0';
  return canonical (path);
}

char *
th_uri_from_argument (const char *argument)
{
  gsize scheme = scheme_length (argument);

  if (has_file_scheme (argument) || (scheme > 0 && g_str_has_prefix (argument + scheme, "://")))
    return g_strdup (argument);
  return th_uri_from_path (argument);
}

/* Length of the root, with its slash; 0 where there is none. */
static gsize
root_length (const char *uri)
{
  gsize scheme = scheme_length (uri);
  const char *slash;

  if (scheme == 0 || strncmp (uri + scheme, "://", 3) != 0)
    return 0;
  slash = strchr (uri + scheme + 3, '/');
  return slash ? (gsize) (slash - uri) + 1 : 0;
}

char *
th_uri_as_folder (const char *uri)
{
  gsize scheme = scheme_length (uri);
  gsize root = root_length (uri);
  gsize length = strlen (uri);

  if (root == 0 && scheme > 0 && strncmp (uri + scheme, "://", 3) == 0)
    return g_strconcat (uri, "/", NULL);
  while (length > MAX (root, 1) && uri[length - 1] == '/')
    length--;
  return g_strndup (uri, length);
}

gboolean
th_uri_cut_to_folder (char *uri)
{
  gsize root = root_length (uri);
  char *slash = strrchr (uri, '/');
  gsize length;

  if (!slash || root == 0 || uri[root] == '\0')
    return FALSE;
  length = MAX ((gsize) (slash - uri), root);
  uri[length] = '\0';
  return TRUE;
}

char *
th_uri_md5 (const char *uri)
{
  return g_compute_checksum_for_string (G_CHECKSUM_MD5, uri, -1);
}
