/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "sandbox/th-deny-list.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/th-error.h"

#define END               (-1)
#define PLAIN_PERSONALITY 0u

/* Where the flags of clone are. */
#if defined(__s390__) || defined(__s390x__) || defined(__CRIS__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

/* The kernel's own affairs, other processes, new namespaces. */
static const int not_permitted[] = {
  SCMP_SYS (syslog),
  SCMP_SYS (uselib),
  SCMP_SYS (acct),
  SCMP_SYS (quotactl),
  SCMP_SYS (add_key),
  SCMP_SYS (keyctl),
  SCMP_SYS (request_key),
  SCMP_SYS (move_pages),
  SCMP_SYS (mbind),
  SCMP_SYS (get_mempolicy),
  SCMP_SYS (set_mempolicy),
  SCMP_SYS (migrate_pages),
  SCMP_SYS (unshare),
  SCMP_SYS (setns),
  SCMP_SYS (mount),
  SCMP_SYS (umount),
  SCMP_SYS (umount2),
  SCMP_SYS (pivot_root),
  SCMP_SYS (chroot),
  SCMP_SYS (ptrace),
  SCMP_SYS (process_vm_readv),
  SCMP_SYS (perf_event_open),
  SCMP_SYS (modify_ldt),
  SCMP_SYS (process_vm_writev),
  SCMP_SYS (bpf),
  SCMP_SYS (userfaultfd),
  SCMP_SYS (open_by_handle_at),
  SCMP_SYS (kcmp),
  SCMP_SYS (kexec_load),
  SCMP_SYS (swapon),
  END,
};

/* Programs know how to do without. clone3 hides its flags from the filter; memory of the others is
 * counted by no limit of a process; io_uring does calls that no filter sees. */
static const int not_there[] = {
  SCMP_SYS (clone3),
  SCMP_SYS (open_tree),
  SCMP_SYS (move_mount),
  SCMP_SYS (fsopen),
  SCMP_SYS (fsconfig),
  SCMP_SYS (fsmount),
  SCMP_SYS (fspick),
  SCMP_SYS (mount_setattr),
  SCMP_SYS (memfd_create),
  SCMP_SYS (memfd_secret),
  SCMP_SYS (shmget),
  SCMP_SYS (msgget),
  SCMP_SYS (io_uring_setup),
  SCMP_SYS (io_uring_enter),
  SCMP_SYS (io_uring_register),
  END,
};

/* All that lead nowhere without a network; the others are not even to be tried. */
static const int families[] = { AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };

/* A call that this architecture does not have needs no rule. */
static int
deny (scmp_filter_ctx filter, const int *calls, int code)
{
  for (; *calls != END; calls++)
    {
      int result = seccomp_rule_add (filter, SCMP_ACT_ERRNO (code), *calls, 0);

      if (result != 0 && result != -EINVAL && result != -EDOM)
        return result;
    }
  return 0;
}

static int
deny_ioctl (scmp_filter_ctx filter, guint32 request)
{
  return seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (ioctl), 1,
                           SCMP_A1 (SCMP_CMP_MASKED_EQ, 0xffffffffu, request));
}

static gboolean
is_family (int family)
{
  for (guint i = 0; i < G_N_ELEMENTS (families); i++)
    if (families[i] == family)
      return TRUE;
  return FALSE;
}

static int
deny_families (scmp_filter_ctx filter)
{
  int result = seccomp_rule_add (filter, SCMP_ACT_ERRNO (EAFNOSUPPORT), SCMP_SYS (socket), 1,
                                 SCMP_A0 (SCMP_CMP_GE, AF_MAX));

  for (int family = 0; family < AF_MAX && result == 0; family++)
    if (!is_family (family))
      result = seccomp_rule_add (filter, SCMP_ACT_ERRNO (EAFNOSUPPORT), SCMP_SYS (socket), 1,
                                 SCMP_A0 (SCMP_CMP_EQ, family));
  return result;
}

static int
deny_by_argument (scmp_filter_ctx filter)
{
  const struct scmp_arg_cmp new_user =
      SCMP_CMP (CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER);
  int result = seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (clone), 1, new_user);

  if (result == 0)
    result = deny_ioctl (filter, TIOCSTI);
  if (result == 0)
    result = deny_ioctl (filter, TIOCLINUX);
  if (result == 0)
    result = deny_families (filter);
  if (result == 0)
    result = seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (personality), 1,
                               SCMP_A0 (SCMP_CMP_NE, PLAIN_PERSONALITY));
  return result;
}

static int
write_filter (int fd)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);
  int result = filter != NULL ? 0 : -ENOMEM;

  if (result == 0)
    result = deny (filter, not_permitted, EPERM);
  if (result == 0)
    result = deny (filter, not_there, ENOSYS);
  if (result == 0)
    result = deny_by_argument (filter);
  if (result == 0)
    result = seccomp_export_bpf (filter, fd);
  if (filter != NULL)
    seccomp_release (filter);
  return result;
}

int
th_deny_list_open (GError **error)
{
  int fd = memfd_create ("thimble-filter", MFD_CLOEXEC);
  int result = fd >= 0 ? write_filter (fd) : -errno;

  if (result == 0 && lseek (fd, 0, SEEK_SET) == 0)
    return fd;
  g_set_error (error, TH_ERROR, TH_ERROR_OTHER, "the system call filter cannot be made: %s",
               g_strerror (result != 0 ? -result : errno));
  if (fd >= 0)
    close (fd);
  return -1;
}
