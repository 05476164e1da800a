/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/th-mount-table.h"

#define MOUNTINFO "/proc/self/mountinfo"
/* As the kernel has it. */
#define MAX_LINKS 40u
#define CHUNK     65536u
/* A table that changes while it is read is read again. */
#define MAX_READS 8u

struct _ThMounts
{
  char *path; /* NULL: the kernel's, which tells by poll that it has changed */
  char *home; /* without symlinks */

  GMutex lock; /* of all below */
  ThMountTable *table;
  gboolean fresh; /* table was read after the last change that is known */
  int fd;
  struct stat st;
};

/* Under the lock, as all up to take_table. */
static gboolean
open_kernel_table (ThMounts *mounts)
{
  if (mounts->fd < 0)
    mounts->fd = open (MOUNTINFO, O_RDONLY | O_CLOEXEC);
  return mounts->fd >= 0;
}

/* Each change is told once to each descriptor. */
static gboolean
kernel_table_has_changed (const ThMounts *mounts)
{
  struct pollfd poll_fd = { .fd = mounts->fd, .events = POLLPRI };

  return poll (&poll_fd, 1, 0) > 0 && (poll_fd.revents & (POLLPRI | POLLERR)) != 0;
}

static gboolean
read_all (int fd, GByteArray *bytes)
{
  g_autofree guint8 *chunk = g_malloc (CHUNK);
  ssize_t n;

  g_byte_array_set_size (bytes, 0);
  if (lseek (fd, 0, SEEK_SET) != 0)
    return FALSE;
  do
    {
      n = read (fd, chunk, CHUNK);
      if (n > 0)
        g_byte_array_append (bytes, chunk, (guint) n);
    }
  while (n > 0 || (n < 0 && errno == EINTR));
  return n == 0;
}

static gboolean
read_kernel_table (ThMounts *mounts, GByteArray *bytes)
{
  for (guint i = 0; i < MAX_READS && !mounts->fresh; i++)
    {
      if (!read_all (mounts->fd, bytes))
        {
          close (mounts->fd);
          mounts->fd = -1;
          return FALSE;
        }
      mounts->fresh = !kernel_table_has_changed (mounts);
    }
  return TRUE;
}

static gboolean
file_is_same (const struct stat *a, const struct stat *b)
{
  return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size
         && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static gboolean
read_file_table (ThMounts *mounts, GByteArray *bytes)
{
  int fd = open (mounts->path, O_RDONLY | O_CLOEXEC);
  gboolean read;

  if (fd < 0)
    return FALSE;
  read = fstat (fd, &mounts->st) == 0 && read_all (fd, bytes);
  close (fd);
  mounts->fresh = read;
  return read;
}

static gboolean
is_fresh (ThMounts *mounts)
{
  struct stat st;

  if (!mounts->fresh)
    return FALSE;
  if (mounts->path == NULL)
    return !kernel_table_has_changed (mounts);
  return stat (mounts->path, &st) == 0 && file_is_same (&st, &mounts->st);
}

/* Where that fails what was known stays. */
static void
reread (ThMounts *mounts)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gboolean read;

  mounts->fresh = FALSE;
  if (mounts->path != NULL)
    read = read_file_table (mounts, bytes);
  else
    read = open_kernel_table (mounts) && read_kernel_table (mounts, bytes);
  if (!read && mounts->table != NULL)
    return;
  g_clear_pointer (&mounts->table, th_mount_table_unref);
  mounts->table = th_mount_table_new ((const char *) bytes->data, bytes->len, mounts->home);
}

/* As it is now. One system call where nothing has changed. */
static ThMountTable *
take_table (ThMounts *mounts)
{
  ThMountTable *table;

  g_mutex_lock (&mounts->lock);
  if (mounts->table == NULL || !is_fresh (mounts))
    reread (mounts);
  table = th_mount_table_ref (mounts->table);
  g_mutex_unlock (&mounts->lock);
  return table;
}

typedef enum
{
  WALK_SPELLING, /* touches nothing */
  WALK_LOCAL,    /* follows symlinks, but touches nothing on a mount that is apart */
  WALK_ALL,
} WalkKind;

/* The way along a path, one name after the other as the kernel goes it. */
typedef struct
{
  const ThMountTable *table;
  WalkKind kind;
  GString *at;    /* what is behind, without symlinks where they are followed; the root is empty */
  GString *ahead; /* from left on */
  gsize left;
  ThMount *mount; /* that at lies on; borrowed from table */
  guint links;
  gboolean went_up;
  gboolean veiled; /* it leads on to where its text does not tell */
} Walk;

static void
walk_clear (Walk *walk)
{
  if (walk->at == NULL)
    return;
  g_string_free (walk->at, TRUE);
  g_string_free (walk->ahead, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static void
begin_at_root (Walk *walk)
{
  g_string_truncate (walk->at, 0);
  walk->mount = th_mount_table_at (walk->table, "/");
  if (walk->mount == NULL)
    walk->mount = th_mount_table_none (walk->table);
}

static void
go_up (Walk *walk)
{
  g_autofree char *path = NULL;
  char *last = strrchr (walk->at->str, '/');

  walk->went_up = TRUE;
  g_string_truncate (walk->at, last != NULL ? (gsize) (last - walk->at->str) : 0);
  path = g_strdup (walk->at->str);
  begin_at_root (walk);
  /* The mount of what is left. */
  for (const char *name = path; *name != '\0';)
    {
      const char *end = strchrnul (name + 1, '/');
      ThMount *mount;

      g_string_append_len (walk->at, name, end - name);
      mount = th_mount_table_at (walk->table, walk->at->str);
      if (mount != NULL)
        walk->mount = mount;
      name = end;
    }
}

/* The kernel does not follow those of /proc that stand for what a process has open by their text:
 * they lead into whatever mount, also one of another namespace. All others there are relative. */
static gboolean
is_magic (const Walk *walk, const char *target)
{
  return strcmp (walk->mount->type, "proc") == 0 && target[0] == '/';
}

/* at is a symlink to target. FALSE: the way ends here. */
static gboolean
follow_link (Walk *walk, const char *target)
{
  char *last = strrchr (walk->at->str, '/');

  walk->veiled = is_magic (walk, target);
  if (walk->veiled || ++walk->links > MAX_LINKS)
    return FALSE;
  g_string_erase (walk->ahead, 0, (gssize) walk->left);
  g_string_prepend_c (walk->ahead, '/');
  g_string_prepend (walk->ahead, target);
  walk->left = 0;
  if (target[0] == '/')
    begin_at_root (walk);
  else
    g_string_truncate (walk->at, (gsize) (last - walk->at->str));
  return TRUE;
}

/* at is no mount point. FALSE: there is nothing further, or it cannot be seen: by way of symlinks
 * the kernel comes to places whose own path would be too long for it. */
static gboolean
look (Walk *walk)
{
  char target[PATH_MAX];
  ssize_t length = readlink (walk->at->str, target, sizeof target - 1);

  if (length < 0)
    {
      walk->veiled = errno == ENAMETOOLONG;
      return errno == EINVAL;
    }
  target[length] = '\0';
  return follow_link (walk, target);
}

static gboolean
is_barred (const Walk *walk)
{
  return walk->kind != WALK_ALL && walk->mount->apart
         && !th_mount_table_is_passed (walk->table, walk->mount);
}

/* FALSE: the way ends here. */
static gboolean
step (Walk *walk, const char *name, gsize length)
{
  ThMount *mount;

  if (length == 0 || (length == 1 && name[0] == '.'))
    return TRUE;
  if (length == 2 && name[0] == '.' && name[1] == '.')
    {
      if (walk->kind != WALK_ALL && walk->mount->apart)
        return FALSE;
      go_up (walk);
      return TRUE;
    }
  g_string_append_c (walk->at, '/');
  g_string_append_len (walk->at, name, (gssize) length);
  mount = th_mount_table_at (walk->table, walk->at->str);
  if (mount != NULL)
    {
      walk->mount = mount;
      return !is_barred (walk);
    }
  /* On a mount that is apart only those that lie on it are looked for. */
  if (walk->kind == WALK_SPELLING || (walk->kind == WALK_LOCAL && walk->mount->apart))
    return TRUE;
  return look (walk);
}

/* Ends at walk->mount; what was not reached is left in ahead. */
static void
walk_path (Walk *walk, const ThMountTable *table, WalkKind kind, const char *path)
{
  *walk = (Walk){ .table = table, .kind = kind };
  walk->at = g_string_sized_new (256);
  walk->ahead = g_string_new (path);
  begin_at_root (walk);
  while (walk->left < walk->ahead->len)
    {
      const char *name = walk->ahead->str + walk->left;
      gsize length = (gsize) (strchrnul (name, '/') - name);

      walk->left = MIN (walk->left + length + 1, walk->ahead->len);
      if (!step (walk, name, length))
        return;
    }
}

/* Cleaned lexically. Caller frees. */
static char *
clean (const char *path)
{
  /* Two slashes at the beginning would stay. */
  while (path[0] == '/' && path[1] == '/')
    path++;
  return g_canonicalize_filename (path, "/");
}

/* Where the way ends, with what was not reached as it is spelled. Caller frees. */
static char *
end_of (const Walk *walk)
{
  g_autofree char *end = g_strconcat (walk->at->str, "/", walk->ahead->str + walk->left, NULL);

  return clean (end);
}

/* One system call for the whole path, and one to close, where readlink would need one for each
 * name. The kernel stops at the first symlink, so that it touches what the spelling names, which
 * lies on mounts that are not apart. */
static gboolean
has_no_links (const char *path)
{
  static const struct open_how how = {
    .flags = O_PATH | O_CLOEXEC,
    .resolve = RESOLVE_NO_SYMLINKS,
  };
  int fd = (int) syscall (SYS_openat2, AT_FDCWD, path, &how, sizeof how);

  if (fd < 0)
    return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ENAMETOOLONG;
  close (fd);
  return TRUE;
}

ThMounts *
th_mounts_new (const char *mountinfo, const char *home)
{
  ThMounts *mounts = g_new0 (ThMounts, 1);

  mounts->path = g_strdup (mountinfo);
  mounts->fd = -1;
  g_mutex_init (&mounts->lock);
  if (home != NULL)
    {
      g_autofree char *spelling = clean (home);
      g_autoptr (ThMountTable) table = take_table (mounts);
      g_auto (Walk) walk = { 0 };

      walk_path (&walk, table, WALK_ALL, spelling);
      mounts->home = end_of (&walk);
      mounts->fresh = FALSE;
    }
  return mounts;
}

void
th_mounts_free (ThMounts *mounts)
{
  if (mounts->fd >= 0)
    close (mounts->fd);
  g_clear_pointer (&mounts->table, th_mount_table_unref);
  g_mutex_clear (&mounts->lock);
  g_free (mounts->path);
  g_free (mounts->home);
  g_free (mounts);
}

/* What the spelling alone tells, or NULL. No folder above a mount point is a symlink, so that only
 * what is below the last one needs a look. */
static ThMount *
find_by_spelling (const ThMountTable *table, const char *path)
{
  g_auto (Walk) walk = { 0 };

  walk_path (&walk, table, WALK_SPELLING, path);
  if (!walk.went_up && (walk.mount->apart || has_no_links (path)))
    return th_mount_ref (walk.mount);
  return NULL;
}

/* Nothing is remembered between calls: a symlink may lead elsewhere the next time, and what was
 * remembered would have a mount touched that must not be. */
ThMount *
th_mounts_resolve (ThMounts *mounts, const char *path, char **real_path)
{
  g_autoptr (ThMountTable) table = take_table (mounts);
  ThMount *mount = find_by_spelling (table, path);
  g_auto (Walk) walk = { 0 };

  *real_path = NULL;
  if (mount != NULL)
    return mount;
  walk_path (&walk, table, WALK_LOCAL, path);
  if (walk.veiled)
    return th_mount_new_apart (walk.mount);
  if (!walk.mount->apart)
    *real_path = end_of (&walk);
  return th_mount_ref (walk.mount);
}

ThMount *
th_mounts_find (ThMounts *mounts, const char *path)
{
  g_autofree char *real_path = NULL;

  return th_mounts_resolve (mounts, path, &real_path);
}

static gboolean
lies_below (const char *path, const char *point)
{
  gsize length = strlen (point);

  if (strcmp (point, "/") == 0)
    return TRUE;
  return strncmp (path, point, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static char *
resolve (const ThMountTable *table, const char *path)
{
  g_auto (Walk) walk = { 0 };

  walk_path (&walk, table, WALK_LOCAL, path);
  return end_of (&walk);
}

gboolean
th_mounts_leads_below (ThMounts *mounts, const char *path, const char *point)
{
  g_autofree char *spelling = clean (path);
  g_autofree char *point_spelling = clean (point);
  g_autoptr (ThMountTable) table = NULL;
  g_autofree char *end = NULL;
  g_autofree char *point_end = NULL;

  if (lies_below (spelling, point_spelling))
    return TRUE;
  table = take_table (mounts);
  end = resolve (table, path);
  if (lies_below (end, point_spelling))
    return TRUE;
  point_end = resolve (table, point);
  return lies_below (end, point_end);
}
