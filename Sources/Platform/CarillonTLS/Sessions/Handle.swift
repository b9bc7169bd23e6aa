/// The owner of one C object: it frees the object.
struct Handle: ~Copyable {
    let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    /// Takes ownership of `pointer`; nil, which C returns on failure, gives nil.
    init?(owning pointer: OpaquePointer?, free: @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.free = free
    }

    /// Returns the object; the caller now owns it and must free it.
    consuming func release() -> OpaquePointer {
        let pointer = pointer
        discard self
        return pointer
    }

    deinit { free(pointer) }
}
