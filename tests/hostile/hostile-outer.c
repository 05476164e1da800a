/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "hostile/hostile-outer.h"

#include <errno.h>
#include <glib.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Answers these calls with an error, as an outer sandbox may. */
static void
forbid (const int *calls, guint n_calls, int code)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);

  for (guint i = 0; i < n_calls; i++)
    seccomp_rule_add (filter, SCMP_ACT_ERRNO (code), calls[i], 0);
  if (seccomp_load (filter) != 0)
    _exit (126);
}

void
outer_forbids_filters (void)
{
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ALLOW);

  seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (seccomp), 0);
  seccomp_rule_add (filter, SCMP_ACT_ERRNO (EPERM), SCMP_SYS (prctl), 1,
                    SCMP_A0 (SCMP_CMP_EQ, PR_SET_SECCOMP));
  if (seccomp_load (filter) != 0)
    _exit (126);
}

void
outer_lacks_landlock (void)
{
  const int calls[] = { SCMP_SYS (landlock_create_ruleset), SCMP_SYS (landlock_add_rule),
                        SCMP_SYS (landlock_restrict_self) };

  forbid (calls, G_N_ELEMENTS (calls), ENOSYS);
}

void
outer_is_like_gnome (void)
{
  const int calls[] = { SCMP_SYS (clone3), SCMP_SYS (close_range) };

  forbid (calls, G_N_ELEMENTS (calls), ENOSYS);
}
