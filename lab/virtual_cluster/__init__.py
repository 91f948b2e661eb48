"""vcluster: hosts made of namespaces on one machine, for trying MPI programs over real TCP.

How it is built:

  front      one process, pid 1 of a pid namespace, with a network namespace that holds
             the bridge. The MPI launcher runs here, as on the login node of a cluster.
  h0, h1 ..  one keeper process each, a child of the front, with its own network, UTS, IPC,
             mount and time namespace. A veth pair joins its eth0 to the front's bridge.
  a job      `run` adds a pid namespace under the front's, and in it one more for each host.

Pid namespaces do the cleaning up: the kernel ends every process of a pid namespace with
its first one. So ending the front is the whole of `down`, and ending a job's first process
ends its ranks on all hosts. No interface, mount or address is ever made outside these
namespaces. See lab/README.md for the use.
"""
