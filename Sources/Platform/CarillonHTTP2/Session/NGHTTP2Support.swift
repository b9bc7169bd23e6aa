// Shared by the client half and the server half of HTTP/2: small helpers around nghttp2's C types.
public import CCarillonNghttp2

/// The flag value for "no flags".
package let flagNone = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)

/// Returns the nine bytes that begin each frame, without copying the whole union.
@inlinable
public func frameHeader(_ frame: UnsafePointer<nghttp2_frame>) -> nghttp2_frame_hd {
    UnsafeRawPointer(frame).load(as: nghttp2_frame_hd.self)
}

extension nghttp2_frame_hd {
    /// Returns true if the frame has that type.
    @inlinable
    public func isType(_ type: nghttp2_frame_type) -> Bool { UInt32(self.type) == UInt32(type.rawValue) }

    /// Returns true if the flag is set.
    @inlinable
    public func has(_ flag: nghttp2_flag) -> Bool { UInt32(flags) & UInt32(flag.rawValue) != 0 }
}

/// Calls `body` with nghttp2's option and callback tables, which are freed after the call.
package func withOptionsAndCallbacks<Result>(
    _ body: (_ options: OpaquePointer, _ callbacks: OpaquePointer) throws(HTTP2Error) -> Result
) throws(HTTP2Error) -> Result {
    var options: OpaquePointer?
    var callbacks: OpaquePointer?
    defer {
        nghttp2_option_del(options)
        nghttp2_session_callbacks_del(callbacks)
    }
    guard nghttp2_option_new(&options) == 0, nghttp2_session_callbacks_new(&callbacks) == 0, let options, let callbacks
    else { throw .outOfMemory }
    return try body(options, callbacks)
}

package func pingValue(_ frame: UnsafePointer<nghttp2_frame>) -> UInt64 {
    withUnsafeBytes(of: frame.pointee.ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
}

/// Copies the next part of a body into nghttp2's frame and marks the last one. Returns the part's length.
package func copyBody(
    _ body: PreparedBody,
    sent: inout Int,
    into target: UnsafeMutablePointer<UInt8>,
    capacity: Int,
    flags: UnsafeMutablePointer<UInt32>
) -> Int {
    let count = min(capacity, body.bytes.count - sent)
    if count > 0, let start = body.bytes.baseAddress {
        UnsafeMutableRawPointer(target).copyMemory(from: start + sent, byteCount: count)
    }
    sent += count
    if sent == body.bytes.count { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return count
}
