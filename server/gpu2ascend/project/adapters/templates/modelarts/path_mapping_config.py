# Paths of the training and the OBS paths that they stand for; fill this in before a training on ModelArts.
# 训练代码中的路径与 OBS 路径的对应关系；在 ModelArts 上训练之前填写。
PATH_MAPPING_CONFIG = {
    # What the training reads: absolute path in the code -> OBS path. Downloaded once per host, at first use.
    # 训练的输入：代码中的绝对路径 -> OBS 路径。首次使用时下载，每台主机一次。
    "input": {
        # "/data/imagenet": "obs://bucket/datasets/imagenet",
    },
    # What the training writes: path in the code -> OBS path. Uploaded when the training ends. A relative path
    # is one below the directory of the project.
    # 训练的输出：代码中的路径 -> OBS 路径。训练结束时上传。相对路径相对于项目目录。
    "output": {
        # "/home/work/checkpoints": "obs://bucket/results/checkpoints",
    },
}
