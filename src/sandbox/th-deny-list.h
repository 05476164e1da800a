/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The system calls that programs of other people may not make. A deny-list: what such a program
 * needs is not known, what it must not have is. */
#pragma once

#include <glib.h>

/* A descriptor that holds the filter as bwrap --seccomp reads it, from its beginning; the caller
 * closes. -1 where libseccomp cannot make it. */
int th_deny_list_open (GError **error);
