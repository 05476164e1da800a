/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "engine/th-mount-kind.h"

#include <string.h>

/* File systems of the kernel that keep their data in this machine. Those that stack on others count
 * as local too: what they stack on is not told. */
static const char *const local_types[] = {
  /* on disks, writable */
  "ext4", "ext3", "ext2", "btrfs", "xfs", "f2fs", "zfs", "bcachefs", "vfat", "exfat", "ntfs3",
  "ntfs", "msdos", "hfsplus", "hfs", "apfs", "jfs", "reiserfs", "reiser4", "nilfs2", "minix", "ufs",
  "sysv", "affs", "adfs", "befs", "bfs", "hpfs", "omfs", "ubifs", "jffs2",
  /* images and discs */
  "squashfs", "erofs", "iso9660", "udf", "cramfs", "romfs", "efs", "qnx4", "qnx6",
  /* in memory */
  "tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs",
  /* stacked */
  "overlay", "aufs", "unionfs", "ecryptfs",
  /* the kernel's own */
  "proc", "sysfs", "devpts", "cgroup", "cgroup2", "cpuset", "securityfs", "selinuxfs", "smackfs",
  "debugfs", "tracefs", "configfs", "pstore", "bpf", "efivarfs", "mqueue", "binfmt_misc", "fusectl",
  "nsfs", "rpc_pipefs", "nfsd", "resctrl", "binder", "functionfs"
};

/* Programs that show a far store as files and fetch each when it is read. A FUSE program may give
 * itself a subtype, a source, both or neither; goofys and others that name only the bucket cannot
 * be told where they do the last. */
static const char *const cloud_types[] = {
  "fuse.rclone",   "fuse.onedriver", "fuse.google-drive-ocamlfuse",
  "fuse.s3fs",     "fuse.gcsfuse",   "fuse.geesefs",
  "fuse.goofys",   "fuse.mount-s3",  "fuse.mountpoint-s3",
  "fuse.blobfuse", "fuse.blobfuse2", "fuse.s3ql",
  "fuse.juicefs",  "fuse.megafs",    "fuse.pcloud",
  "davfs",         "fuse.davfs",     "fuse.davfs2",
};

/* Beginnings of the source, of FUSE mounts only: these name themselves there, pCloud whatever its
 * program is called, and davfs2 has the address of the server. */
static const char *const cloud_sources[] = {
  "mountpoint-s3", "pCloud.fs", "blobfuse2", "http://", "https://",
};

/* Programs, and one file system of the kernel's, that show an encrypted folder in the clear. */
static const char *const encrypted_types[] = {
  "ecryptfs",       "fuse.gocryptfs", "fuse.cryfs",      "fuse.encfs",
  "fuse.encfsmp",   "fuse.securefs",  "fuse.cppcryptfs", "fuse.cryptomator",
  "fuse.veracrypt", "fuse.ecryptfs",  "fuse.cryptofs",   "fuse.rencfs",
};

/* Beginnings of the source, whatever the type: some give themselves no subtype, and the volumes of
 * VeraCrypt and zuluCrypt are devices of the kernel with usual file systems. */
static const char *const encrypted_sources[] = {
  "gocryptfs",
  "cryfs@",
  "encfs",
  "securefs",
  "cryptomator",
  "cryptoFs",
  "/dev/mapper/veracrypt",
  "/dev/mapper/truecrypt",
  "/dev/mapper/zuluCrypt-",
};

static gboolean
is_one_of (const char *type, const char *const *types, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (strcmp (type, types[i]) == 0)
      return TRUE;
  return FALSE;
}

gboolean
th_mount_kind_is_local (const char *type)
{
  return is_one_of (type, local_types, G_N_ELEMENTS (local_types));
}

gboolean
th_mount_kind_is_cloud (const char *type, const char *source)
{
  if (is_one_of (type, cloud_types, G_N_ELEMENTS (cloud_types)))
    return TRUE;
  if (strcmp (type, "fuse") != 0 && !g_str_has_prefix (type, "fuse."))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (cloud_sources); i++)
    if (g_str_has_prefix (source, cloud_sources[i]))
      return TRUE;
  return FALSE;
}

gboolean
th_mount_kind_is_encrypted (const char *type, const char *source)
{
  const char *named = source[0] == '/' && !g_str_has_prefix (source, "/dev/") ? "" : source;

  if (is_one_of (type, encrypted_types, G_N_ELEMENTS (encrypted_types)))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (encrypted_sources); i++)
    if (g_ascii_strncasecmp (named, encrypted_sources[i], strlen (encrypted_sources[i])) == 0)
      return TRUE;
  return FALSE;
}
