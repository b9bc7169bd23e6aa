import CarillonCore

/// The stored part of an audience that is evaluated page by page while the message is sent. It is stored at acceptance.
struct LiveAudience: Hashable {
    /// The audience, which is neither a list of devices nor a channel.
    var audience: Audience
    /// The devices that are left out, ascending.
    var excluded: [DeviceID]
    /// The first device id that was not given yet at acceptance: devices that register later are not addressed.
    var idBound: UInt64

    /// The number of chunks, from 0 on, that can have recipients.
    var chunkCount: UInt64 { (idBound + UInt64(ChunkBits.width) - 1) / UInt64(ChunkBits.width) }

    /// Removes the devices that are not addressed, whatever the condition says.
    func restrict(_ bits: inout ChunkBits, in chunk: ChunkNumber) {
        for id in excluded where id.chunk == chunk { bits.remove(id.offset) }
        guard UInt64(chunk) + 1 >= chunkCount else { return }
        for offset in bits where DeviceID(chunk: chunk, offset: offset).rawValue >= idBound { bits.remove(offset) }
    }
}
