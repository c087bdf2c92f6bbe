"""Where things happen: settings with homes, places to go to, spots where a small thing can lie, and what is to be seen there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A place with its preposition: at "in the garden", to "to the garden"."""

    noun: str
    at: str

    @property
    def to(self) -> str:
        """How one goes there."""
        return f"to {self.noun}"


@dataclass(frozen=True, slots=True)
class Setting:
    """where: phrases for living there. places, spots, sights: see the module."""

    name: str
    where: list[str]
    places: list[Place]
    spots: list[str]
    sights: list[str]


_RAW = """house
a small house with a green door|a tall house in the middle of the town|a flat above the bakery|a house with a big garden|a little white house near the park|an old house on the corner|a yellow house by the river|a flat on the fifth floor|a house full of books
the kitchen@in|the garden@in|the attic@in|the cellar@in|the living room@in|the bedroom@in|the bathroom@in|the garage@in|the hall@in|the shed@in|the balcony@on|the playroom@in
under the bed|behind the sofa|under the table|in the cupboard|on top of the wardrobe|behind the curtain|in the laundry basket|under the pillow|behind the door|in the bathtub|under the carpet|in the bottom drawer|on the bookshelf|inside a boot|behind the washing machine|under the stairs|in the toy box|on the window sill|in the pocket of an old coat|behind the clock
the sun shone through the window|the clock ticked on the wall|the smell of fresh bread came from the kitchen|the rain drummed on the roof|the kettle sang on the stove|a fly buzzed around the lamp|the radio played an old song|the curtains moved in the wind|somebody was singing next door|the floor creaked
village
a village by the river|a small village in the hills|a quiet village|a village at the foot of a mountain|a village near the forest|a village where everybody knew everybody|a village with a pond in the middle|a little village far from the town
the market@at|the school@at|the well@at|the mill@at|the bakery@in|the church tower@in|the pond@at|the bridge@on|the playground@on|the old barn@in|the shop@in|the village square@in|the orchard@in|the meadow@in
under a bench|behind the well|in the tall grass|under an apple tree|on a fence|behind the bakery|in the hedge|under the bridge|in an empty barrel|on the roof of the shed|in the old wheelbarrow|beside the gate|in a bird's nest|between two stones|in a flower pot|behind a heap of wood|in the fountain|on the steps of the school
hens ran across the road|the bell of the church rang|washing hung between the houses|an old man slept in the sun|children were playing football|the baker carried bread to his shop|smoke rose from the chimneys|two cats sat on a wall|somebody was painting a fence|a cart full of hay went by
town
a big town|a busy town|a town by the sea|a town with many bridges|a town full of tall houses|a small town|a noisy street in the town|a town where the trams ran day and night
the library@in|the station@at|the park@in|the museum@in|the toy shop@in|the swimming pool@at|the zoo@at|the cinema@in|the bus stop@at|the hospital@in|the theatre@in|the harbour@at|the square@in|the fair@at|the post office@in|the school@at
under a park bench|behind a statue|on the bus|in the fountain|on the steps of the museum|behind the bins|on a window sill|in the lost property office|under a parked car|next to the lamp post|in a shop window|on the swing|in the sandpit|under the bridge|on the back seat of a taxi|at the bottom of the escalator
cars went past|the tram rang its bell|a man sold balloons|people hurried along with bags and umbrellas|music came out of an open window|pigeons walked about the square|a bus splashed through a puddle|the lights in the shops went on|a woman played the violin on the corner|the traffic lights turned green
farm
a farm|an old farm on a hill|a farm with many animals|a small farm near the woods|a farm at the end of a long road|a farm by the lake|a big farm with a red barn
the barn@in|the field@in|the stable@in|the hen house@in|the pond@at|the orchard@in|the vegetable garden@in|the hay loft@in|the yard@in|the mill@at|the meadow@in|the pumpkin patch@in
under the hay|behind the barn|in the trough|under the tractor|in a bucket|beside the fence|in the pumpkin patch|on a heap of straw|in the hen house|under a cabbage leaf|behind the milk cans|in the mud|between two sacks|at the bottom of the well|on the seat of the tractor
the cows chewed their grass|the rooster crowed|the smell of hay was everywhere|a tractor hummed in the distance|swallows flew in and out of the barn|the pigs were asleep in the shade|bees buzzed over the clover|the hens scratched in the yard|the windmill turned slowly
forest
a big forest|a dark forest|the middle of the forest|a green forest|a forest full of birds|a forest where nobody ever came|an old forest behind the hills|a quiet wood
the clearing@in|the old oak tree@at|the stream@at|the waterfall@at|the cave@in|the berry bushes@at|the hollow tree@in|the edge of the forest@at|the little bridge@on|the pine trees@under|the valley@in|the moss garden@in
under a heap of leaves|behind a big stone|in a hollow tree|under a root|on a high branch|between the ferns|in the moss|beside the stream|in a bush full of thorns|under a mushroom|in a bird's nest|behind the waterfall|among the pine cones|in a hole in the ground|on a tree stump|in a spider's web
the wind whispered in the leaves|a woodpecker knocked on a tree|mushrooms stood between the roots|the light fell green through the branches|a stream ran over the stones|somewhere an owl called|the ground was soft with moss|it smelled of pine and earth|a beetle climbed over a root|leaves fell one by one
field
a field of flowers|a wide meadow|a field behind the village|a sunny meadow near a brook|a field of corn|a meadow full of clover
the brook@at|the hedge@behind|the hill@on|the apple tree@under|the strawberry patch@in|the old wall@on|the big stone@on|the path@on|the haystack@on|the garden@in|the edge of the meadow@at|the poppies@among
under a leaf|behind a stone|in the tall grass|under a daisy|in the brook|on a stalk of wheat|between the poppies|in a molehill|beside the path|inside a flower|under the hedge|on a thistle|in an old shoe|in a puddle
the grass moved in the wind|crickets sang|white clouds sailed across the sky|dew shone on every leaf|a lark sang high up in the air|the poppies were as red as fire|butterflies danced over the flowers|the air was warm and sweet|a bumblebee hummed past
lake
a quiet lake|a pond behind the mill|a lake in the mountains|a wide river|a river that ran through the woods|a pond full of water lilies
the reeds@in|the island@on|the old jetty@on|the shore@on|the waterfall@at|the willow tree@under|the boat house@in|the bridge@on|the meadow@in|the other side@on|the big rock@on|the lily pads@among
in the reeds|under a water lily|between two stones|in an old boat|in the mud|under the jetty|on a floating log|behind the willow|in a fishing net|at the bottom of the pond|in the sand|under the bridge|on a rock in the water|in a beaver's dam
the water was as smooth as glass|dragonflies danced over the reeds|small waves ran to the shore|a fish jumped|the frogs were singing|mist lay over the water|the willow dipped its branches into the lake|a rowing boat rocked in the wind|ducks swam in a row
sea
a hut by the sea|an island in the middle of the sea|a small house on the beach|a harbour|a village by the sea|a bay with white sand|a ship with brown sails
the beach@on|the harbour@in|the lighthouse@in|the cliff@on|the island@on|the rock pool@at|the pier@on|the cave@in|the fish market@at|the dunes@in|the bay@in|the coral reef@at
under a boat|in the sand|between the rocks|in a fishing net|in a rock pool|inside a big shell|under the pier|in a chest|behind a barrel|in the seaweed|on the deck of a ship|at the bottom of the sea|in the dunes|in a bottle|on the top step of the lighthouse
the waves rolled onto the beach|the air tasted of salt|seagulls screamed over the boats|a white sail stood far out on the sea|the tide came in|crabs walked sideways over the rocks|the lighthouse blinked|the sand was warm|foam ran over the stones|a ship blew its horn
castle
a castle on a hill|a great castle|an old castle with seven towers|a castle by a lake|a palace with a hundred rooms|a small castle in the mountains
the tower@in|the great hall@in|the kitchen@in|the rose garden@in|the treasure room@in|the stable@in|the library@in|the gate@at|the throne room@in|the cellar@in|the courtyard@in|the bridge@on
behind the throne|under a heavy carpet|in an old suit of armour|behind a painting|in the well|under the bed of the king|in a wooden chest|on top of the tower|behind a secret door|among the roses|in the oven|in the hay of the stable|under the stairs|in a flower pot|in the moat
flags waved on the towers|candles burned on the walls|the cook was roasting apples|a trumpet sounded|the stairs went round and round|the guards marched up and down|the floor shone like a mirror|a fire crackled in the great hall|white doves sat on the roof
mountain
a cave high in the mountains|a hut on the mountain|a valley between two mountains|a tower on a lonely mountain|the top of a mountain|a village high up in the mountains
the top@on|the valley@in|the lake@at|the cave@in|the rope bridge@on|the hut@in|the waterfall@at|the pass@on|the old mine@in|the pine wood@in|the cliff@on|the glacier@on
in a cave|between two rocks|under the snow|behind the hut|on a ledge|in an eagle's nest|in the mine|beside the path|under a pine tree|in the stream|in a crack in the rock|behind the waterfall|under an old blanket|at the bottom of the valley
the wind was cold and clean|an eagle circled in the sky|snow lay on the tops|goat bells rang in the valley|clouds hung below the path|the sun painted the rocks red|a stone rolled down into the valley|the air was thin|stars came out over the peaks
savanna
the wide savanna|a dry plain in Africa|the grassland near a water hole|a place with tall grass and few trees|the land under the big baobab tree
the water hole@at|the baobab tree@under|the river@at|the big rock@on|the tall grass@in|the hill@on|the village@in|the dry river bed@in|the acacia tree@under|the termite hill@on
in the tall grass|under a thorn bush|in the dust|behind a termite hill|in the branches of the baobab|between two rocks|at the edge of the water hole|in a hole in the ground|under a dry leaf|in the mud
the sun burned in the sky|dust rose behind the zebras|the grass was yellow and high|birds sat on the back of a buffalo|thunder rolled far away|the land was wide and quiet|the heat shook over the plain
jungle
the jungle|a hot green jungle|the deep jungle by a river|a jungle full of colours|the trees above the river
the big river@at|the waterfall@at|the banana trees@under|the old temple@in|the rope bridge@on|the tall palm tree@under|the clearing@in|the swamp@at|the mango tree@under|the cave@in
under a big leaf|in a hollow tree|on a high branch|between the roots|in the river mud|behind the waterfall|among the bananas|in the old temple|in a nest|under a fallen tree|in the vines
monkeys shouted in the trees|warm rain fell on the big leaves|flowers as big as plates hung from the branches|the river was brown and slow|a thousand insects hummed|parrots flew over like coloured flags|steam rose from the ground
desert
the desert|a tent in the desert|a village at the edge of the desert|the desert where the sand is red|an oasis
the oasis@at|the well@at|the dunes@in|the market@at|the big rock@on|the tent@in|the ruins@in|the palm trees@under|the caravan@with|the salt lake@at
under the sand|in a tent|behind a rock|beside the well|in an old jar|under a palm tree|on the back of a camel|between two stones|in a bag of dates|behind a dune
the sand was hot|the wind drew lines in the sand|the stars were very bright|a row of camels walked by|the palm trees threw long shadows|the air shook in the heat|it was so quiet that you could hear the sand
snow
a land of snow and ice|a hut in the snow|a white valley in the north|the snowy north|a garden deep in snow|a village under the snow
the frozen lake@on|the snowy hill@on|the pine wood@in|the hut@in|the ice cave@in|the old sledge track@on|the edge of the ice@at|the snow fort@in|the village@in|the frozen river@on
under the snow|behind a pine tree|on the ice|in a snowdrift|in a hole in the ice|under a sledge|behind the hut|in an ice cave|on a branch full of snow|in a woollen sock
snow fell in big soft flakes|icicles hung from the roof|the lake was frozen|everything was white and still|the north wind blew|the snow creaked under every step|green lights danced in the sky|smoke rose straight up into the cold air"""


def _read() -> dict[str, Setting]:
    lines = _RAW.split("\n")
    found = {}
    for start in range(0, len(lines), 5):
        name, where, places, spots, sights = lines[start : start + 5]
        named = [Place(noun, f"{at} {noun}") for noun, at in (part.split("@") for part in places.split("|"))]
        found[name] = Setting(name, where.split("|"), named, spots.split("|"), sights.split("|"))
    return found


SETTINGS = _read()
