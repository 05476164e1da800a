/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A GVfs of the test's own, with one scheme whose files behave as they are called: testing:///NAME.
 * The table at the end of the attributes has the names. */
#include "config.h"

#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

#include "gio-module.h"

typedef struct
{
  const char *name;
  guint64 claims;     /* bytes */
  guint64 has;        /* bytes */
  guint64 stalls_at;  /* byte; 0: never */
  guint64 breaks_at;  /* byte; 0: never */
  const char *target; /* standard::target-uri; "$": of the environment */
  GFileType type;
  int fails;   /* code of G_IO_ERROR that looking ends in; 0: it does not */
  int refuses; /* the same of opening */
  gboolean trickles;
  gboolean stalls_on_query;
  gboolean stalls_on_open;
  gboolean changes;
  gboolean unreadable;
  gboolean bare; /* it has a type and nothing else */
  const char *preview;
} Trait;

#define REGULAR .type = G_FILE_TYPE_REGULAR
#define NEVER   G_MAXUINT64

static const Trait traits[] = {
  { "plain", 300000, 300000, REGULAR },
  { "empty", 0, 0, REGULAR },
  { "lies", 10, 2000000, REGULAR },
  { "claims", 2000000, 10, REGULAR },
  { "stall-query", .stalls_on_query = TRUE, REGULAR },
  { "stall-open", 10, 10, .stalls_on_open = TRUE, REGULAR },
  { "stall-read", 300000, 300000, 1000, REGULAR },
  { "trickle", 300000, NEVER, .trickles = TRUE, REGULAR },
  { "breaks", 300000, 300000, .breaks_at = 1000, REGULAR },
  { "changes", 10, 10, .changes = TRUE, REGULAR },
  { "unreadable", 10, 10, .unreadable = TRUE, .refuses = G_IO_ERROR_PERMISSION_DENIED, REGULAR },
  { "unmounted", .fails = G_IO_ERROR_NOT_MOUNTED, REGULAR },
  { "missing", .fails = G_IO_ERROR_NOT_FOUND, REGULAR },
  { "cancelled", .fails = G_IO_ERROR_CANCELLED, REGULAR },
  { "folder", .type = G_FILE_TYPE_DIRECTORY },
  { "special", .type = G_FILE_TYPE_SPECIAL },
  { "bare", 10, 10, .bare = TRUE, REGULAR },
  { "preview", 2000000, 2000000, REGULAR, .preview = PREVIEW_TEXT },
  { "preview-file", 10, 10, REGULAR, .preview = "/etc/passwd" },
  { "to-path", .target = "$", REGULAR },
  { "to-plain", .target = "testing:///plain", REGULAR },
  { "to-self", .target = "testing:///to-self", REGULAR },
  { "to-there", .target = "testing:///to-back", REGULAR },
  { "to-back", .target = "testing:///to-there", REGULAR },
  { "to-web", .target = "http://localhost/a.jpg", REGULAR },
  { "to-far", .target = "file://elsewhere/a.jpg", REGULAR },
  { "to-nothing", 10, 10, .target = "", REGULAR },
};

static void
hang (void)
{
  for (;;)
    pause ();
}

/* The content of a file. */

typedef struct
{
  GFileInputStream parent;
  const Trait *trait;
  guint64 at;
} TestStream;

typedef GFileInputStreamClass TestStreamClass;

static GType test_stream_get_type (void);
G_DEFINE_TYPE (TestStream, test_stream, G_TYPE_FILE_INPUT_STREAM)

static gssize
test_stream_read (GInputStream *stream, void *buffer, gsize count, GCancellable *cancellable,
                  GError **error)
{
  TestStream *self = (TestStream *) stream;
  const Trait *trait = self->trait;
  guint64 n = MIN ((guint64) count, trait->has - self->at);

  if (trait->stalls_at != 0 && self->at >= trait->stalls_at)
    hang ();
  if (trait->breaks_at != 0 && self->at >= trait->breaks_at)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_CLOSED, "the line is cut");
      return -1;
    }
  if (trait->trickles)
    g_usleep (20 * 1000);
  n = MIN (n, trait->trickles ? 1u : 1000u);
  for (guint64 i = 0; i < n; i++)
    ((guint8 *) buffer)[i] = TEST_BYTE (self->at + i);
  self->at += n;
  return (gssize) n;
}

static void
test_stream_class_init (TestStreamClass *klass)
{
  G_INPUT_STREAM_CLASS (klass)->read_fn = test_stream_read;
}

static void
test_stream_init (TestStream *self)
{
}

/* A file. */

typedef struct
{
  GObject parent;
  char *name;
} TestFile;

typedef GObjectClass TestFileClass;

static GType test_file_get_type (void);
static void test_file_iface_init (GFileIface *iface);
G_DEFINE_TYPE_WITH_CODE (TestFile, test_file, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (G_TYPE_FILE, test_file_iface_init))

static GFile *
test_file_new (const char *uri)
{
  TestFile *self = g_object_new (test_file_get_type (), NULL);
  const char *slash = strrchr (uri, '/');

  self->name = g_strdup (slash != NULL ? slash + 1 : uri);
  return G_FILE (self);
}

static const Trait *
trait_of (GFile *file, GError **error)
{
  const char *name = ((TestFile *) file)->name;

  for (guint i = 0; i < G_N_ELEMENTS (traits); i++)
    if (g_str_equal (traits[i].name, name))
      return &traits[i];
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "no file “%s”", name);
  return NULL;
}

static GFile *
test_file_dup (GFile *file)
{
  return test_file_new (((TestFile *) file)->name);
}

static guint
test_file_hash (GFile *file)
{
  return g_str_hash (((TestFile *) file)->name);
}

static gboolean
test_file_equal (GFile *a, GFile *b)
{
  return g_str_equal (((TestFile *) a)->name, ((TestFile *) b)->name);
}

static gboolean
test_file_is_native (GFile *file)
{
  return FALSE;
}

static char *
test_file_get_uri (GFile *file)
{
  return g_strconcat (TEST_SCHEME ":///", ((TestFile *) file)->name, NULL);
}

static GIcon *
make_preview (const char *preview)
{
  g_autoptr (GBytes) bytes = g_bytes_new (preview, strlen (preview));
  g_autoptr (GFile) file = NULL;

  if (preview[0] != '/')
    return g_bytes_icon_new (bytes);
  file = g_vfs_get_file_for_path (g_vfs_get_local (), preview);
  return g_file_icon_new (file);
}

static void
add_attributes (const Trait *trait, GFileInfo *info)
{
  static gint changes = 0;
  guint64 time = 1000000000 + (trait->changes ? (guint64) g_atomic_int_add (&changes, 1) : 0);

  g_file_info_set_size (info, (goffset) trait->claims);
  g_file_info_set_content_type (info, "image/png");
  g_file_info_set_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED, time);
  g_file_info_set_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC, 123456);
  g_file_info_set_attribute_boolean (info, G_FILE_ATTRIBUTE_ACCESS_CAN_READ, !trait->unreadable);
  if (trait->target != NULL)
    g_file_info_set_attribute_string (info, G_FILE_ATTRIBUTE_STANDARD_TARGET_URI,
                                      g_str_equal (trait->target, "$") ? g_getenv (TEST_TARGET)
                                                                       : trait->target);
  if (trait->preview != NULL)
    {
      g_autoptr (GIcon) icon = make_preview (trait->preview);

      g_file_info_set_attribute_object (info, G_FILE_ATTRIBUTE_PREVIEW_ICON, G_OBJECT (icon));
    }
}

static GFileInfo *
test_file_query_info (GFile *file, const char *attributes, GFileQueryInfoFlags flags,
                      GCancellable *cancellable, GError **error)
{
  const Trait *trait = trait_of (file, error);
  GFileInfo *info;

  if (trait == NULL)
    return NULL;
  if (trait->stalls_on_query)
    hang ();
  if (trait->fails != 0)
    {
      g_set_error_literal (error, G_IO_ERROR, trait->fails, "it is as it is");
      return NULL;
    }
  info = g_file_info_new ();
  g_file_info_set_file_type (info, trait->type);
  if (!trait->bare)
    add_attributes (trait, info);
  return info;
}

static GFileInputStream *
test_file_read (GFile *file, GCancellable *cancellable, GError **error)
{
  const Trait *trait = trait_of (file, error);
  TestStream *stream;

  if (trait == NULL)
    return NULL;
  if (trait->stalls_on_open)
    hang ();
  if (trait->refuses != 0)
    {
      g_set_error_literal (error, G_IO_ERROR, trait->refuses, "it must not be");
      return NULL;
    }
  stream = g_object_new (test_stream_get_type (), NULL);
  stream->trait = trait;
  return G_FILE_INPUT_STREAM (stream);
}

static void
test_file_iface_init (GFileIface *iface)
{
  iface->dup = test_file_dup;
  iface->hash = test_file_hash;
  iface->equal = test_file_equal;
  iface->is_native = test_file_is_native;
  iface->get_uri = test_file_get_uri;
  iface->get_parse_name = test_file_get_uri;
  iface->query_info = test_file_query_info;
  iface->read_fn = test_file_read;
}

static void
test_file_finalize (GObject *object)
{
  g_free (((TestFile *) object)->name);
  G_OBJECT_CLASS (test_file_parent_class)->finalize (object);
}

static void
test_file_class_init (TestFileClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_file_finalize;
}

static void
test_file_init (TestFile *self)
{
}

/* The file system. */

typedef GVfs TestVfs;
typedef GVfsClass TestVfsClass;

static GType test_vfs_get_type (void);
G_DEFINE_TYPE (TestVfs, test_vfs, G_TYPE_VFS)

static gboolean
test_vfs_is_active (GVfs *vfs)
{
  return TRUE;
}

static GFile *
test_vfs_get_file_for_path (GVfs *vfs, const char *path)
{
  return g_vfs_get_file_for_path (g_vfs_get_local (), path);
}

static GFile *
test_vfs_get_file_for_uri (GVfs *vfs, const char *uri)
{
  return g_str_has_prefix (uri, TEST_SCHEME ":") ? test_file_new (uri)
                                                 : g_vfs_get_file_for_uri (g_vfs_get_local (), uri);
}

static const char *const *
test_vfs_get_supported_uri_schemes (GVfs *vfs)
{
  static const char *const schemes[] = {
    "file", "http", "https", TEST_SCHEME, "admin", "computer", "network", "cdda", "localtest", NULL,
  };

  return schemes;
}

static void
test_vfs_class_init (TestVfsClass *klass)
{
  klass->is_active = test_vfs_is_active;
  klass->get_file_for_path = test_vfs_get_file_for_path;
  klass->get_file_for_uri = test_vfs_get_file_for_uri;
  klass->get_supported_uri_schemes = test_vfs_get_supported_uri_schemes;
}

static void
test_vfs_init (TestVfs *self)
{
}

void
g_io_module_load (GIOModule *module)
{
  g_type_module_use (G_TYPE_MODULE (module));
  g_io_extension_point_implement (G_VFS_EXTENSION_POINT_NAME, test_vfs_get_type (), TEST_VFS, 1);
}

void
g_io_module_unload (GIOModule *module)
{
}
