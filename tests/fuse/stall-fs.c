/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stall-fs HOST: serves, on an open /dev/fuse that it finds as descriptor 3 (stall-mount.c), a
 * read-only file system of one folder that shows the files of HOST. What stands in HOST/.stall,
 * separated by spaces, is taken and never answered from then on: lookup, getattr, open, read,
 * flush, statfs, opendir, or "all". The kernel keeps nothing, so that each access asks. Speaks the
 * protocol of linux/fuse.h itself. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/fuse.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define DEVICE        3
#define REQUEST_BYTES (1024u * 1024u)

typedef struct
{
  int device;
  int host;
  GPtrArray *names; /* of files; the node of each is 2 and its place */
  guint8 *buffer;
} Fs;

typedef struct
{
  const struct fuse_in_header *header;
  const void *body;
} Request;

static void
reply (Fs *fs, const Request *request, int failed, const void *data, gsize size)
{
  struct fuse_out_header header = { .error = -failed, .unique = request->header->unique };
  struct iovec parts[2] = { { &header, sizeof header }, { (void *) data, failed ? 0 : size } };

  header.len = (guint32) (sizeof header + parts[1].iov_len);
  /* Fails where whoever asked is gone. */
  if (writev (fs->device, parts, 2) < 0)
    return;
}

static void
fill_attr (const struct stat *st, guint64 node, struct fuse_attr *attr)
{
  *attr = (struct fuse_attr){
    .ino = node,
    .size = (guint64) st->st_size,
    .blocks = (guint64) st->st_blocks,
    .atime = (guint64) st->st_atim.tv_sec,
    .mtime = (guint64) st->st_mtim.tv_sec,
    .ctime = (guint64) st->st_ctim.tv_sec,
    .atimensec = (guint32) st->st_atim.tv_nsec,
    .mtimensec = (guint32) st->st_mtim.tv_nsec,
    .ctimensec = (guint32) st->st_ctim.tv_nsec,
    .mode = st->st_mode,
    .nlink = 1,
    .uid = getuid (),
    .gid = getgid (),
    .blksize = 4096,
  };
}

/* NULL: the folder, or none. */
static const char *
name_of (Fs *fs, guint64 node)
{
  return node >= 2 && node - 2 < fs->names->len ? fs->names->pdata[node - 2] : NULL;
}

static int
stat_node (Fs *fs, guint64 node, struct stat *st)
{
  const char *name = node == FUSE_ROOT_ID ? "." : name_of (fs, node);

  if (name == NULL)
    return ENOENT;
  return fstatat (fs->host, name, st, 0) == 0 ? 0 : errno;
}

static void
do_init (Fs *fs, const Request *request)
{
  const struct fuse_init_in *in = request->body;
  struct fuse_init_out out = {
    .major = FUSE_KERNEL_VERSION,
    .minor = MIN (in->minor, FUSE_KERNEL_MINOR_VERSION),
    .max_readahead = in->max_readahead,
    .max_write = 4096,
    .time_gran = 1,
  };

  reply (fs, request, 0, &out, sizeof out);
}

static guint64
node_of (Fs *fs, const char *name)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func (fs->names, name, g_str_equal, &index))
    {
      index = fs->names->len;
      g_ptr_array_add (fs->names, g_strdup (name));
    }
  return index + 2;
}

static void
do_lookup (Fs *fs, const Request *request)
{
  struct fuse_entry_out out = { .nodeid = node_of (fs, request->body) };
  struct stat st;
  int failed = stat_node (fs, out.nodeid, &st);

  if (failed == 0)
    fill_attr (&st, out.nodeid, &out.attr);
  reply (fs, request, failed, &out, sizeof out);
}

static void
do_getattr (Fs *fs, const Request *request)
{
  struct fuse_attr_out out = { 0 };
  struct stat st;
  int failed = stat_node (fs, request->header->nodeid, &st);

  if (failed == 0)
    fill_attr (&st, request->header->nodeid, &out.attr);
  reply (fs, request, failed, &out, sizeof out);
}

static void
do_open (Fs *fs, const Request *request)
{
  const char *name = name_of (fs, request->header->nodeid);
  int fd = name != NULL ? openat (fs->host, name, O_RDONLY | O_CLOEXEC) : -1;
  struct fuse_open_out out = { .fh = (guint64) fd, .open_flags = FOPEN_DIRECT_IO };

  reply (fs, request, fd < 0 ? ENOENT : 0, &out, sizeof out);
}

static void
do_read (Fs *fs, const Request *request)
{
  const struct fuse_read_in *in = request->body;
  g_autofree char *data = g_malloc (in->size);
  gssize n = pread ((int) in->fh, data, in->size, (off_t) in->offset);

  reply (fs, request, n < 0 ? errno : 0, data, n < 0 ? 0 : (gsize) n);
}

static void
do_release (Fs *fs, const Request *request)
{
  const struct fuse_release_in *in = request->body;

  close ((int) in->fh);
  reply (fs, request, 0, NULL, 0);
}

static void
do_opendir (Fs *fs, const Request *request)
{
  struct fuse_open_out out = { 0 };

  reply (fs, request, 0, &out, sizeof out);
}

static void
do_readdir (Fs *fs, const Request *request)
{
  const struct fuse_read_in *in = request->body;
  g_autofree guint8 *data = g_malloc0 (in->size);
  DIR *dir = fdopendir (openat (fs->host, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct dirent *item;
  gsize used = 0;

  for (guint64 i = 1; dir != NULL && (item = readdir (dir)) != NULL; i++)
    {
      struct fuse_dirent head = { item->d_ino, i, (guint32) strlen (item->d_name), item->d_type };
      gsize size = FUSE_DIRENT_ALIGN (FUSE_NAME_OFFSET + head.namelen);

      if (i <= in->offset)
        continue;
      if (used + size > in->size)
        break;
      memcpy (data + used, &head, FUSE_NAME_OFFSET);
      memcpy (data + used + FUSE_NAME_OFFSET, item->d_name, head.namelen);
      used += size;
    }
  if (dir != NULL)
    closedir (dir);
  reply (fs, request, 0, data, used);
}

static void
do_statfs (Fs *fs, const Request *request)
{
  struct fuse_statfs_out out = { .st = { .bsize = 4096, .namelen = 255, .frsize = 4096 } };

  reply (fs, request, 0, &out, sizeof out);
}

static void
do_nothing (Fs *fs, const Request *request)
{
  reply (fs, request, 0, NULL, 0);
}

typedef struct
{
  guint32 opcode;
  const char *name; /* for .stall */
  void (*handle) (Fs *fs, const Request *request);
} Operation;

static const Operation operations[] = {
  { FUSE_INIT, "init", do_init },          { FUSE_LOOKUP, "lookup", do_lookup },
  { FUSE_GETATTR, "getattr", do_getattr }, { FUSE_OPEN, "open", do_open },
  { FUSE_READ, "read", do_read },          { FUSE_FLUSH, "flush", do_nothing },
  { FUSE_RELEASE, "release", do_release }, { FUSE_OPENDIR, "opendir", do_opendir },
  { FUSE_READDIR, "readdir", do_readdir }, { FUSE_RELEASEDIR, "releasedir", do_nothing },
  { FUSE_STATFS, "statfs", do_statfs },
};

static gboolean
is_stalled (Fs *fs, const char *name)
{
  char text[256] = { 0 };
  g_auto (GStrv) words = NULL;
  int fd = openat (fs->host, ".stall", O_RDONLY | O_CLOEXEC);
  gssize n = fd >= 0 ? read (fd, text, sizeof text - 1) : 0;

  if (fd >= 0)
    close (fd);
  if (n <= 0)
    return FALSE;
  words = g_strsplit_set (text, " \n", -1);
  return g_strv_contains ((const char *const *) words, name)
         || g_strv_contains ((const char *const *) words, "all");
}

static void
serve (Fs *fs, const Request *request)
{
  guint32 opcode = request->header->opcode;

  if (opcode == FUSE_FORGET || opcode == FUSE_BATCH_FORGET || opcode == FUSE_INTERRUPT)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (operations); i++)
    {
      if (operations[i].opcode != opcode)
        continue;
      if (opcode == FUSE_INIT || !is_stalled (fs, operations[i].name))
        operations[i].handle (fs, request);
      return;
    }
  if (!is_stalled (fs, "other"))
    reply (fs, request, ENOSYS, NULL, 0);
}

static int
run (Fs *fs)
{
  for (;;)
    {
      gssize n = read (fs->device, fs->buffer, REQUEST_BYTES);
      Request request = { (void *) fs->buffer, fs->buffer + sizeof (struct fuse_in_header) };

      /* ENOENT: whoever asked is gone; ENODEV: unmounted. */
      if (n < 0 && errno != EINTR && errno != ENOENT && errno != EAGAIN)
        return errno == ENODEV ? 0 : 1;
      if (n >= (gssize) sizeof *request.header)
        serve (fs, &request);
    }
}

int
main (int argc, char **argv)
{
  Fs fs = { .device = DEVICE, .host = -1 };
  int failed;

  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (argc == 2)
    fs.host = open (argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fs.host < 0)
    return 2;
  fs.names = g_ptr_array_new_with_free_func (g_free);
  fs.buffer = g_malloc (REQUEST_BYTES);
  failed = run (&fs);
  g_ptr_array_unref (fs.names);
  g_free (fs.buffer);
  return failed;
}
