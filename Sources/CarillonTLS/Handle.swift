/// One C object and the duty to free it.
struct Handle: ~Copyable {
    let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    /// Takes ownership of `pointer`; `nil`, as C answers when it fails, gives `nil`.
    init?(owning pointer: OpaquePointer?, free: @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.free = free
    }

    /// Hands the duty to free the object to the caller.
    consuming func release() -> OpaquePointer {
        let pointer = pointer
        discard self
        return pointer
    }

    deinit { free(pointer) }
}
