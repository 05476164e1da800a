/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Systems and sandboxes around a worker, as seccomp filters for the process that becomes it. */
#pragma once

/* A container in which no filter can be installed. */
void outer_forbids_filters (void);
/* A kernel before 5.13. */
void outer_lacks_landlock (void);
/* The calls that gnome-desktop's sandbox does not let through, as far as we might make them; and a
 * kernel before 5.9. */
void outer_is_like_gnome (void);
