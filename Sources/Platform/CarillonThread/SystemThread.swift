import Glibc

/// Threads that may wait for a disk, a socket or a lock, which a task must not.
package enum SystemThread {
    /// The error of a system that has no thread for the process.
    package struct StartError: Error, CustomStringConvertible {
        /// The number of `errno` that `pthread_create` returned.
        package let code: CInt

        /// A sentence with the reason of the system.
        package var description: String { "the system has no thread: \(String(cString: strerror(code)))" }
    }

    /// The closure and the name of a thread, on their way to it.
    private final class Context {
        let name: String
        let body: () -> Void

        init(name: String, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            setName()
            body()
        }

        /// Sets the name of this thread, which otherwise has the name of the thread that started it. A failure is
        /// ignored: the thread runs without a name, too.
        private func setName() {
            // Swift cannot call `pthread_setname_np` of this C library.
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            _ = write(file, name, name.utf8.count)
            close(file)
        }
    }

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Parameter name: what tools such as `top -H` show; of more than 15 bytes the first 15.
    /// - Throws: ``StartError``; `body` is not called then.
    package static func start(
        named name: String, _ body: sending @escaping () -> Void
    ) throws(StartError) {
        let context = Unmanaged.passRetained(Context(name: name, body))
        var thread = pthread_t()
        // Safety: the context is retained for the thread, which takes it back exactly once.
        let result = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Context>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard result == 0 else {
            context.release()
            throw StartError(code: result)
        }
        pthread_detach(thread)
    }
}
