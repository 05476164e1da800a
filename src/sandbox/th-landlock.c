/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/th-error.h"

/* The kernel's struct landlock_ruleset_attr as of ABI 6; older kernels take a shorter one. */
typedef struct
{
  guint64 fs;
  guint64 net;
  guint64 scoped;
} Ruleset;

/* Rights that came with each ABI; see landlock(7). A version knows those of all before it. */
typedef struct
{
  guint64 fs;
  guint64 net;
  guint64 scoped;
  gsize size; /* bytes of the ruleset that this version takes */
} Rights;

#define FS_ONLY  G_STRUCT_OFFSET (Ruleset, net)
#define WITH_NET G_STRUCT_OFFSET (Ruleset, scoped)

static const Rights rights[] = {
  { 0x1fff, 0, 0, FS_ONLY },     /* 1: execute, read, write, remove, make */
  { 1u << 13, 0, 0, FS_ONLY },   /* 2: refer */
  { 1u << 14, 0, 0, FS_ONLY },   /* 3: truncate */
  { 0, 3, 0, WITH_NET },         /* 4: bind, connect (TCP) */
  { 1u << 15, 0, 0, WITH_NET },  /* 5: ioctl on devices */
  { 0, 0, 3, sizeof (Ruleset) }, /* 6: abstract sockets, signals */
};

static gboolean
fail (const char *what, GError **error)
{
  int saved = errno;

  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "landlock: %s: %s", what, g_strerror (saved));
  return FALSE;
}

static gboolean
allow_reading (int ruleset, const char *folder, GError **error)
{
  struct landlock_path_beneath_attr rule = {
    .allowed_access = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    .parent_fd = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC),
  };
  long result;

  /* A folder that is not there needs no rule. */
  if (rule.parent_fd < 0)
    return TRUE;
  result = syscall (SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close (rule.parent_fd);
  return result == 0 || fail (folder, error);
}

static gboolean
restrict_self (int ruleset, const char *const *readable, GError **error)
{
  for (guint i = 0; readable != NULL && readable[i] != NULL; i++)
    if (!allow_reading (ruleset, readable[i], error))
      return FALSE;
  return syscall (SYS_landlock_restrict_self, ruleset, 0) == 0 || fail ("cannot enter", error);
}

gboolean
th_landlock_enter (const char *const *readable, int *abi, GError **error)
{
  long version = syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  gsize known = (gsize) CLAMP (version, 0, (long) G_N_ELEMENTS (rights));
  Ruleset attributes = { 0 };
  gboolean entered;
  long ruleset;

  *abi = 0;
  if (version <= 0)
    return TRUE;
  for (gsize i = 0; i < known; i++)
    {
      attributes.fs |= rights[i].fs;
      attributes.net |= rights[i].net;
      attributes.scoped |= rights[i].scoped;
    }
  ruleset = syscall (SYS_landlock_create_ruleset, &attributes, rights[known - 1].size, 0);
  if (ruleset < 0)
    return fail ("cannot make a ruleset", error);
  entered = restrict_self ((int) ruleset, readable, error);
  close ((int) ruleset);
  if (entered)
    *abi = (int) version;
  return entered;
}
