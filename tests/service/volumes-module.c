/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A volume monitor of the test's own, which says what it is told to. */
#include "config.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

#include "volumes-module.h"

#define FAR_URI "testing:///nowhere"

/* A mount. */

typedef struct
{
  GObject parent;
  char *where;
} TestMount;

typedef GObjectClass TestMountClass;

static GType test_mount_get_type (void);
static void test_mount_iface_init (GMountIface *iface);
G_DEFINE_TYPE_WITH_CODE (TestMount, test_mount, G_TYPE_OBJECT,
                         G_IMPLEMENT_INTERFACE (G_TYPE_MOUNT, test_mount_iface_init))

static GFile *
file_of (const char *where)
{
  return where[0] == '/' ? g_file_new_for_path (where) : g_file_new_for_uri (where);
}

static gboolean
has_default (const TestMount *self)
{
  return g_str_has_prefix (self->where, TEST_VOLUMES_DEFAULT);
}

static GFile *
test_mount_get_root (GMount *mount)
{
  TestMount *self = (TestMount *) mount;

  return file_of (has_default (self) ? FAR_URI : self->where);
}

static GFile *
test_mount_get_default_location (GMount *mount)
{
  TestMount *self = (TestMount *) mount;

  return file_of (has_default (self) ? self->where + strlen (TEST_VOLUMES_DEFAULT) : FAR_URI);
}

static void
test_mount_iface_init (GMountIface *iface)
{
  iface->get_root = test_mount_get_root;
  iface->get_default_location = test_mount_get_default_location;
}

static void
test_mount_finalize (GObject *object)
{
  g_free (((TestMount *) object)->where);
  G_OBJECT_CLASS (test_mount_parent_class)->finalize (object);
}

static void
test_mount_class_init (TestMountClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_mount_finalize;
}

static void
test_mount_init (TestMount *self)
{
}

/* The monitor. */

typedef struct
{
  GVolumeMonitor parent;
  GString *heard; /* so far, of a string without its NUL */
  guint source;
} TestMonitor;

typedef GVolumeMonitorClass TestMonitorClass;

static GType test_monitor_get_type (void);
G_DEFINE_TYPE (TestMonitor, test_monitor, G_TYPE_VOLUME_MONITOR)

static void
tell (TestMonitor *self)
{
  TestMount *mount = g_object_new (test_mount_get_type (), NULL);

  mount->where = g_strdup (self->heard->str);
  g_signal_emit_by_name (self, "mount-pre-unmount", mount);
  g_object_unref (mount);
  g_string_truncate (self->heard, 0);
}

static gboolean
on_heard (int fd, GIOCondition condition, gpointer data)
{
  TestMonitor *self = data;
  char bytes[4096];
  gssize n = read (fd, bytes, sizeof bytes);

  for (gssize i = 0; i < n; i++)
    if (bytes[i] != '\0')
      g_string_append_c (self->heard, bytes[i]);
    else
      tell (self);
  return G_SOURCE_CONTINUE;
}

static void
test_monitor_finalize (GObject *object)
{
  TestMonitor *self = (TestMonitor *) object;

  g_source_remove (self->source);
  g_string_free (self->heard, TRUE);
  G_OBJECT_CLASS (test_monitor_parent_class)->finalize (object);
}

static gboolean
test_monitor_is_supported (void)
{
  return g_getenv (TEST_VOLUMES) != NULL;
}

static void
test_monitor_class_init (TestMonitorClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = test_monitor_finalize;
  klass->is_supported = test_monitor_is_supported;
}

/* Open for writing too, so that it never comes to an end. */
static void
test_monitor_init (TestMonitor *self)
{
  int fd = open (g_getenv (TEST_VOLUMES), O_RDWR | O_NONBLOCK | O_CLOEXEC);

  self->heard = g_string_new (NULL);
  self->source = g_unix_fd_add (fd, G_IO_IN, on_heard, self);
}

void
g_io_module_load (GIOModule *module)
{
  g_type_module_use (G_TYPE_MODULE (module));
  g_io_extension_point_implement (G_VOLUME_MONITOR_EXTENSION_POINT_NAME, test_monitor_get_type (),
                                  "thimble-testing", 1);
}

void
g_io_module_unload (GIOModule *module)
{
}
