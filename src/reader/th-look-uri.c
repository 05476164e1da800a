/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "reader/th-look-uri.h"

/* What a device is asked for: it has one size only, as a rule. */
#define PREVIEW_SIZE 256
#define ATTRIBUTES                                                                                 \
  G_FILE_ATTRIBUTE_STANDARD_TYPE                                                                   \
  "," G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_STANDARD_TARGET_URI                      \
  "," G_FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE "," G_FILE_ATTRIBUTE_TIME_MODIFIED                    \
  "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC "," G_FILE_ATTRIBUTE_TIME_MODIFIED_NSEC                  \
  "," G_FILE_ATTRIBUTE_ACCESS_CAN_READ "," G_FILE_ATTRIBUTE_PREVIEW_ICON

/* The web: whoever asks for a thumbnail must not make this machine fetch an address. admin: asks
 * the user for a password. */
static const char *const refused[] = { "http", "https", "admin", NULL };
/* Those that hold no files of their own, besides. */
static const char *const unserved[] = {
  "cdda", "computer", "file", "localtest", "network", NULL,
};

static gboolean
is_refused (const char *scheme)
{
  return scheme == NULL || g_strv_contains (refused, scheme);
}

/* GFile knows only schemes in lower case; peeking makes them so. */
static GFile *
find (const char *uri, ThPulse *pulse, GError **error)
{
  const char *scheme = g_uri_peek_scheme (uri);
  g_autoptr (GFile) file = NULL;

  if (is_refused (scheme))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                   "files of the scheme “%s” are not read", scheme != NULL ? scheme : "");
      return NULL;
    }
  /* Loads GVfs and connects to the session, which takes its time once. */
  g_vfs_get_default ();
  th_pulse_beat (pulse);
  file = g_file_new_for_uri (uri);
  if (!g_file_is_native (file))
    return g_steal_pointer (&file);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "“%s” is a local file", uri);
  return NULL;
}

/* A picture that lies in a file would have to be looked at like any other one. */
static GLoadableIcon *
preview_of (GFileInfo *info)
{
  GObject *icon = g_file_info_get_attribute_object (info, G_FILE_ATTRIBUTE_PREVIEW_ICON);

  if (icon == NULL || !G_IS_LOADABLE_ICON (icon) || G_IS_FILE_ICON (icon))
    return NULL;
  return g_object_ref (G_LOADABLE_ICON (icon));
}

static mode_t
mode_of (GFileInfo *info)
{
  switch ((GFileType) g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_STANDARD_TYPE))
    {
    case G_FILE_TYPE_REGULAR:
      return S_IFREG;
    case G_FILE_TYPE_DIRECTORY:
    case G_FILE_TYPE_MOUNTABLE:
      return S_IFDIR;
    case G_FILE_TYPE_UNKNOWN:
    case G_FILE_TYPE_SYMBOLIC_LINK:
    case G_FILE_TYPE_SPECIAL:
    case G_FILE_TYPE_SHORTCUT:
    default:
      return 0;
    }
}

/* Nanoseconds where GVfs has them, else microseconds. */
static struct timespec
mtime_of (GFileInfo *info)
{
  guint64 seconds = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED);
  guint32 usec = g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  guint32 nsec = g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_NSEC);

  if (nsec == 0 && usec < 1000000)
    nsec = usec * 1000;
  return (struct timespec){ (time_t) seconds, nsec < 1000000000 ? (long) nsec : 0 };
}

static void
describe (ThFinding *finding, GFileInfo *info)
{
  const char *type =
      g_file_info_get_attribute_string (info, G_FILE_ATTRIBUTE_STANDARD_CONTENT_TYPE);
  guint64 size = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_STANDARD_SIZE);

  finding->st = (struct stat){
    .st_mode = mode_of (info),
    .st_size = (off_t) MIN (size, (guint64) G_MAXINT64),
    .st_mtim = mtime_of (info),
  };
  finding->readable = !g_file_info_has_attribute (info, G_FILE_ATTRIBUTE_ACCESS_CAN_READ)
                      || g_file_info_get_attribute_boolean (info, G_FILE_ATTRIBUTE_ACCESS_CAN_READ);
  finding->preview = preview_of (info);
  g_free (finding->mime_type);
  finding->mime_type = type != NULL ? g_content_type_get_mime_type (type) : NULL;
}

gboolean
th_look_uri (ThFinding *finding, const char *uri, char **next, ThPulse *pulse, GError **error)
{
  g_autoptr (GFile) file = find (uri, pulse, error);
  g_autoptr (GFileInfo) info = NULL;
  const char *target;

  *next = NULL;
  if (file == NULL)
    return FALSE;
  info = g_file_query_info (file, ATTRIBUTES, G_FILE_QUERY_INFO_NONE, NULL, error);
  if (info == NULL)
    return FALSE;
  th_pulse_beat (pulse);
  th_finding_clear (finding);
  describe (finding, info);
  target = g_file_info_get_attribute_string (info, G_FILE_ATTRIBUTE_STANDARD_TARGET_URI);
  if (target == NULL || target[0] == '\0')
    finding->file = g_steal_pointer (&file);
  else
    *next = g_strdup (target);
  return TRUE;
}

GInputStream *
th_look_uri_open (const ThFinding *finding, GError **error)
{
  g_autofree char *uri = g_file_get_uri (finding->file);

  if (S_ISREG (finding->st.st_mode))
    return G_INPUT_STREAM (g_file_read (finding->file, NULL, error));
  g_set_error (error, G_IO_ERROR,
               S_ISDIR (finding->st.st_mode) ? G_IO_ERROR_IS_DIRECTORY
                                             : G_IO_ERROR_NOT_REGULAR_FILE,
               "“%s” is not a regular file", uri);
  return NULL;
}

GInputStream *
th_look_uri_open_preview (const ThFinding *finding, GError **error)
{
  if (finding->preview != NULL)
    return g_loadable_icon_load (finding->preview, PREVIEW_SIZE, NULL, NULL, error);
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                       "the device offers no small picture");
  return NULL;
}

char **
th_look_uri_schemes (void)
{
  const char *const *all = g_vfs_get_supported_uri_schemes (g_vfs_get_default ());
  g_autoptr (GStrvBuilder) served = g_strv_builder_new ();

  for (; *all != NULL; all++)
    if (!is_refused (*all) && !g_strv_contains (unserved, *all))
      g_strv_builder_add (served, *all);
  return g_strv_builder_end (served);
}
