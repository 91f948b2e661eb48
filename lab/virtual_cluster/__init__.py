"""vcluster: virtual hosts on one machine, made of namespaces, to run MPI programs over real TCP.

How it works:

  front      one process, pid 1 of a pid namespace, with a network namespace that holds
             the bridge. The MPI launcher runs here, as on the login node of a cluster.
  h0, h1 ..  one keeper process each, a child of the front, with its own network, UTS, IPC,
             mount and time namespace. A veth pair joins its eth0 to the front's bridge.
  a job      `run` adds a pid namespace below the front's, and one more below that per host.

Pid namespaces do the cleanup: when the init process of a pid namespace exits, the kernel kills
every other process in it. So `down` only kills the front, and killing a job's init process
kills its ranks on all hosts. No interface, mount or address is ever created outside these
namespaces. See lab/README.md for how to use it.
"""
